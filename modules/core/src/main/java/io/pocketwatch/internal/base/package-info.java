// SPDX-License-Identifier: Apache-2.0
/**
 * Tools that know nothing of messages: threads, places in flight, bytes in memory, group commit,
 * durations as text. Not API.
 */
@NullMarked
package io.pocketwatch.internal.base;

import org.jspecify.annotations.NullMarked;
