// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;

/** What the delivery guard needs. */
public interface SettlingStore {
  /**
   * Asks to handle a copy that has arrived. Locks the message's row first, so that cancel,
   * reschedule and another consumer's begin wait for the answer. {@code HANDLE} only if the state
   * is {@code PENDING}, {@code HELD}, {@code PARKED} or {@code FAILED}, the generation is equal,
   * and this consumer has neither settled nor, under an unexpired lease, begun.
   *
   * @param consumer the queue, or the name given to the guard
   * @param lease how long the handler may take before someone else may begin
   */
  Begun begin(MessageKey key, int generation, String consumer, Duration lease);

  /** The handler finished: settled, and {@code SETTLED} if it was the last. */
  boolean settle(Handling handling);

  /** The handler failed: released, and {@code FAILED}. */
  boolean fail(Handling handling, String reason);

  /** The handler failed for the last time: released, {@code PARKED}, and kept for a human. */
  boolean park(Handling handling, String reason);

  /** The handler was not run after all: released, state unchanged. */
  boolean abandon(Handling handling);

  /** Makes the lease last this much longer from now. */
  boolean extend(Handling handling, Duration lease);
}
