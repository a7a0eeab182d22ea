// SPDX-License-Identifier: Apache-2.0
/** Pure: a message becomes a row and a row a message; which messages get one. */
@NullMarked
package io.pocketwatch.internal.rows;

import org.jspecify.annotations.NullMarked;
