// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.handoff;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands stored messages off to the broker, for loaders and for code that inserts rows in
 * transactions of its own. Thread-safe; part of a publisher with a store.
 */
public interface HandOff extends Holding {
  /**
   * Checks a message and encodes it for the store, without I/O.
   *
   * @throws InvalidMessageException if the message could never be sent
   */
  Prepared prepare(DelayedMessage message);

  /**
   * Publishes a claimed message, and marks its row when the broker has confirmed it.
   *
   * <p>The call waits for a place in flight like {@link DelayedPublisher#publish}. The future
   * always completes, and with an error only if this publisher is closed. A message that is not
   * confirmed stays {@code PENDING} under its claim: the caller ends it, see {@link #failed}.
   */
  CompletableFuture<HandOffResult> handOff(Claim claim);

  /**
   * Hands off, in the background, a message whose row was inserted under {@link Prepared#lease} and
   * committed. Never waits and never throws: without room it is left to the loaders.
   */
  void committed(Prepared prepared);

  /**
   * Claims rows of a route that are due within two seconds. It sends them in the background, each
   * when it is due, straight to its target, and ends their claims. It claims nothing without room
   * for so many.
   *
   * @param rows at most so many, up to 10,000
   * @param owner the owner of the claims
   * @param claimed takes the claims, before any is sent
   * @return how many were claimed, 0 if none is due; empty if there is no room now
   * @throws StoreException if the store does not answer
   */
  OptionalInt claimDue(String route, int rows, String owner, Consumer<List<Claim>> claimed);

  /** How many messages of a route {@link #claimDue} has claimed that are unanswered yet. */
  int claimedDue(String route);

  /** The conclusion for the claim of a message that the broker has not confirmed. */
  Conclusion failed(HandOffResult result);

  /** Messages due up to this instant belong on the broker, unless they are tracked to the end. */
  Instant horizon();

  /**
   * A message ready to be inserted.
   *
   * @param row what to insert
   * @param lease the lease to insert it under, or null if it is to wait for a loader
   * @param nanoTime when it was made, before the lease begins
   */
  record Prepared(ScheduledMessage row, @Nullable Lease lease, long nanoTime) {}
}
