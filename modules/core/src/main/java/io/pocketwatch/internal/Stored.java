// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.CancelOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.plan.DelayPlanner;
import io.pocketwatch.plan.Submission;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOver;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a publisher has more when it has a store. */
final class Stored implements AutoCloseable {
  private final DelayStore store;
  private final StoreClock clock;
  private final MessageWalk walk;
  private final BrokerEpoch epoch;
  private final HandOvers handOvers;
  private final StoredPath path;
  private final StoreRule rule;
  private final Duration patience;

  Stored(
      DelayStore store,
      StoreClock clock,
      DelayRoutes routes,
      Supplier<DelayPlanner> planner,
      MessageWalk walk,
      BrokerEpoch epoch,
      UnreadableMessages unreadable,
      Callbacks callbacks,
      PocketwatchListener listener) {
    this.store = store;
    this.clock = clock;
    this.walk = walk;
    this.epoch = epoch;
    this.patience = routes.publisher().confirmTimeout();
    this.rule = new StoreRule(routes, planner, clock);
    InsertLimits limits = new InsertLimits(routes); // may fail, so before there are threads
    this.handOvers = new HandOvers(store, routes, planner, rule, walk, epoch, unreadable, listener);
    this.path = new StoredPath(store, routes.publisher(), limits, handOvers, callbacks);
  }

  /**
   * @throws StoreException if the store does not answer
   */
  void start() {
    clock.start();
  }

  /** There is a new connection, perhaps to another life of the broker. */
  void connected() {
    epoch.forget();
  }

  CompletableFuture<PublishReceipt> publish(DelayedMessage message) {
    Submission submission;
    try {
      submission = walk.accept(message);
    } catch (PocketwatchException e) {
      return CompletableFuture.failedFuture(e);
    }
    String reason = reasonToStore(submission);
    return reason == null ? walk.start(submission) : path.publish(submission, reason);
  }

  @Nullable String reasonToStore(Submission submission) {
    return rule.reasonToStore(submission);
  }

  CompletableFuture<PublishReceipt> store(Submission submission) {
    String reason = reasonToStore(submission);
    return path.publish(submission, reason == null ? "asked for" : reason);
  }

  CancelOutcome cancel(MessageKey key) {
    try {
      return switch (store.cancel(key)) {
        case DONE -> CancelOutcome.CANCELLED;
        case BEING_HANDLED -> CancelOutcome.BEING_HANDLED;
        case TOO_LATE -> CancelOutcome.TOO_LATE;
        case UNKNOWN -> CancelOutcome.NOT_FOUND;
      };
    } catch (StoreException e) {
      return CancelOutcome.UNCERTAIN;
    }
  }

  HandOver handOver() {
    return handOvers;
  }

  SchedulingStore store() {
    return new MovingStore(store, handOvers::moved);
  }

  /** Stores what was accepted, and has it handed over. */
  void stopTaking() {
    path.close(patience);
    handOvers.stopTaking(patience);
  }

  /** After the last confirm. */
  @Override
  public void close() {
    handOvers.close();
    clock.close();
  }
}
