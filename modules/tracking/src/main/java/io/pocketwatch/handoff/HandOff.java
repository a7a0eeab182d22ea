// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.handoff;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.ScheduledMessage;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What lies between a stored message and the broker: for loaders, and for those who insert rows in
 * a transaction of their own. Thread-safe; belongs to a publisher with a store.
 */
public interface HandOff extends Holding {
  /**
   * Checks a message and encodes it for the store, without I/O.
   *
   * @throws InvalidMessageException if it could never be sent
   */
  Prepared prepare(DelayedMessage message);

  /**
   * Publishes a claimed message, and marks its row when the broker has confirmed it.
   *
   * <p>The call waits for a place in flight like {@link DelayedPublisher#publish}. The future
   * always completes, and with an error only if this publisher is closed. A message that is not
   * confirmed stays {@code PENDING} under its claim: the caller decides whether to try again, give
   * it back, or park it.
   */
  CompletableFuture<HandOffResult> handOff(Claim claim);

  /**
   * Hands off in the background what was inserted under {@link Prepared#lease} and committed. Never
   * waits and never throws: what there is no room for is left to the loaders.
   */
  void committed(Prepared prepared);

  /**
   * The life of the broker's disk that messages are held in now. Asks the broker and the store
   * after each new connection; empty if they do not answer, or if this publisher may not declare
   * queues.
   */
  Optional<String> epoch();

  /** Messages due up to this instant belong on the broker. */
  Instant horizon();

  /**
   * A message ready to be inserted.
   *
   * @param row what to insert
   * @param lease what to insert it under, or null if it is to wait for a loader
   * @param nanoTime when it was made, before the lease begins
   */
  record Prepared(ScheduledMessage row, @Nullable Lease lease, long nanoTime) {}
}
