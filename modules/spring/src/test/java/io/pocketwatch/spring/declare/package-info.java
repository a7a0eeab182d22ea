// SPDX-License-Identifier: Apache-2.0
/** Declarations of the plugin's exchanges, on real brokers and in real contexts. */
@NullMarked
package io.pocketwatch.spring.declare;

import org.jspecify.annotations.NullMarked;
