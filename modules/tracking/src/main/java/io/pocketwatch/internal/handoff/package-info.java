// SPDX-License-Identifier: Apache-2.0
/**
 * From the message to its row, from the row to the broker, and the mark that it is held. Not API.
 */
@NullMarked
package io.pocketwatch.internal.handoff;

import org.jspecify.annotations.NullMarked;
