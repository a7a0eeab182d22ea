// SPDX-License-Identifier: Apache-2.0
/** {@code demo-traffic}: messages without end, for a stack that is to be looked at. */
@NullMarked
package io.pocketwatch.lab.traffic;

import org.jspecify.annotations.NullMarked;
