// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The broker confirmed a claimed message.
 *
 * @param claim what was handed over
 * @param heldUntil until when a copy may be on the broker
 * @param epoch the life of the broker's disk it was confirmed in, or null if that is not known
 */
public record HeldMark(Claim claim, Instant heldUntil, @Nullable String epoch) {}
