// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A cancel, reschedule or release by hand.
 *
 * @param by who did it, as they were named; null if nobody was
 * @param at when
 */
public record Change(@Nullable String by, Instant at) {}
