// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the delivery guard needs. */
public interface SettlingStore {
  /**
   * Asks to handle a copy that has arrived. Locks the message's row first, so that cancel,
   * reschedule and another consumer's begin wait for the answer. {@code HANDLE} only if the message
   * is not cancelled, the generation is equal, and this consumer has neither settled nor, under an
   * unexpired lease, begun. What other consumers have settled refuses nobody.
   *
   * @param consumer the queue, or the name given to the guard
   * @param lease how long the handler may take before someone else may begin
   */
  Begun begin(MessageKey key, int generation, String consumer, Duration lease);

  /** The handler finished: settled, and {@code SETTLED} once as many have as the route expects. */
  boolean settle(Handling handling);

  /**
   * The handler failed: released, and {@code FAILED}, unless other consumers have parked or settled
   * it, or it is {@code PENDING} and to be sent again: since the broker has lost its disk, or
   * nobody knows whether it was sent, or other consumers of it have no copy yet.
   */
  boolean fail(Handling handling, String reason);

  /** The handler failed for the last time: released, {@code PARKED}, and kept for a human. */
  boolean park(Handling handling, String reason);

  /**
   * The handler failed, and a copy is put on hold for its next try: released, and {@code HELD} with
   * a reason, with the same exceptions as for {@link #fail}. The copy is the only one, so it goes
   * back like any other if its disk is lost.
   *
   * @param until when the next try is
   * @param epoch the life of the disk the copy will be held in, or null, for a row that names none.
   *     What a row names stays: if that is lost already, one copy too many is sent, and not one too
   *     few
   */
  boolean postpone(Handling handling, Instant until, @Nullable String epoch, String reason);

  /** The handler was not run after all: released, state unchanged. */
  boolean abandon(Handling handling);

  /** Makes the lease last this much longer from now. */
  boolean extend(Handling handling, Duration lease);
}
