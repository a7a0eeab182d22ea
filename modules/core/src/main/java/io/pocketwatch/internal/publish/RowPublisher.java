// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.handoff.BrokerEpoch;
import io.pocketwatch.internal.handoff.DefaultHandOff;
import io.pocketwatch.internal.handoff.HandOffStore;
import io.pocketwatch.internal.handoff.InsertRateLimits;
import io.pocketwatch.internal.handoff.RowInserter;
import io.pocketwatch.internal.handoff.StoreClock;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.StoreRule;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.spi.HandOff;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a publisher has more when it has a store. */
final class RowPublisher implements AutoCloseable {
  private final DelayStore store;
  private final StoreClock clock;
  private final PublishPipeline walk;
  private final BrokerEpoch epoch;
  private final DefaultHandOff handOffs;
  private final RowInserter path;
  private final StoreRule rule;
  private final Duration patience;

  RowPublisher(
      DelayStore store,
      StoreClock clock,
      DelayRoutes routes,
      Supplier<DelayPlanner> planner,
      PublishPipeline walk,
      BrokerEpoch epoch,
      CallbackThread callbacks,
      PocketwatchListener listener) {
    this.store = store;
    this.clock = clock;
    this.walk = walk;
    this.epoch = epoch;
    this.patience = routes.publisher().confirmTimeout();
    this.rule = new StoreRule(routes, planner, clock);
    InsertRateLimits limits = new InsertRateLimits(routes); // may fail, so before there are threads
    this.handOffs =
        new DefaultHandOff(store, routes, planner, rule, walk::start, epoch, listener);
    this.path = new RowInserter(store, routes.publisher(), limits, handOffs, callbacks);
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

  ChangeOutcome cancel(MessageKey key) {
    try {
      return store.cancel(key);
    } catch (StoreException e) {
      return ChangeOutcome.UNCERTAIN;
    }
  }

  HandOff handOff() {
    return handOffs;
  }

  DelayStore wholeStore() {
    return store;
  }

  SchedulingStore store() {
    return new HandOffStore(store, handOffs::moved, handOffs::manyMoved);
  }

  /** Stores what was accepted, and has it handed off. */
  void stopTaking() {
    path.close(patience);
    handOffs.stopTaking(patience);
  }

  /** After the last confirm. */
  @Override
  public void close() {
    handOffs.close();
    clock.close();
  }
}
