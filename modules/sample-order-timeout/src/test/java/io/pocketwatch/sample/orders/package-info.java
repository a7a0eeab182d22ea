// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.pocketwatch.sample.orders;

import org.jspecify.annotations.NullMarked;
