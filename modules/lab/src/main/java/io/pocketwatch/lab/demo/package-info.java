// SPDX-License-Identifier: Apache-2.0
/** {@code pocketwatch demo}: orders that time out, on a real broker, with every message counted. */
@NullMarked
package io.pocketwatch.lab.demo;

import org.jspecify.annotations.NullMarked;
