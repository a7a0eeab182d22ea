// SPDX-License-Identifier: Apache-2.0
/** Queues that hold one message each: made, cancelled and cleaned up. Not API. */
@NullMarked
package io.pocketwatch.internal.temporary;

import org.jspecify.annotations.NullMarked;
