// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.tracking;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublisherStatus;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.handoff.RowPlanning;
import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.handoff.DefaultHandOff;
import io.pocketwatch.internal.handoff.HandOffStore;
import io.pocketwatch.internal.handoff.InsertRateLimits;
import io.pocketwatch.internal.handoff.OwnBroker;
import io.pocketwatch.internal.handoff.RowInserter;
import io.pocketwatch.internal.handoff.StoreClock;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.publish.DefaultDelayedPublisher;
import io.pocketwatch.internal.publish.PublisherParts;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.spi.PublisherSettings;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Adds a store to a publisher without one. */
final class DefaultTrackedPublisher implements TrackedPublisher, RowPlanning {
  private static final int CANCELLING = 4;

  private final DelayStore store;
  private final StoreClock clock;
  private final OwnBroker ownBroker;
  private final DefaultDelayedPublisher broker;
  private final Planning planning;
  private final CallbackThread callbacks;
  private final StoreRule rule;
  private final DefaultHandOff handOffs;
  private final RowInserter inserter;
  private final Duration patience;

  /** Own threads, so that a store which does not answer blocks no calls to the broker. */
  private final ExecutorService cancelling =
      Scheduler.SYSTEM.threads("pocketwatch-cancel", CANCELLING);

  private volatile boolean closed;

  private DefaultTrackedPublisher(PublisherSettings settings, DelayStore store, StoreClock clock) {
    DelayRoutes routes = settings.routes();
    InsertRateLimits limits = new InsertRateLimits(routes); // may fail, so comes before the threads
    this.store = store;
    this.clock = clock;
    this.patience = routes.publisher().confirmTimeout();
    this.ownBroker = new OwnBroker(store);
    this.broker = DefaultDelayedPublisher.of(settings.withClock(clock), ownBroker);
    PublisherParts parts = broker.parts();
    this.planning = parts.planning();
    this.callbacks = parts.callbacks();
    this.rule = new StoreRule(routes, parts.planner(), clock);
    this.handOffs =
        new DefaultHandOff(
            store,
            rule,
            new DefaultHandOff.Broker(planning::publish, () -> broker.status().connected()),
            settings.listener(),
            Scheduler.SYSTEM);
    this.inserter =
        new RowInserter(store, ownBroker, limits, handOffs, callbacks, Scheduler.SYSTEM);
  }

  static DefaultTrackedPublisher open(PublisherSettings settings, DelayStore store) {
    Objects.requireNonNull(store, "store");
    DefaultTrackedPublisher publisher =
        new DefaultTrackedPublisher(settings, store, new StoreClock(store::now, settings.clock()));
    try {
      publisher.clock.start();
      publisher.broker.open(settings);
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
    return publisher;
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(DelayedMessage message) {
    Objects.requireNonNull(message, "message");
    if (closed) {
      return CompletableFuture.failedFuture(closedAlready());
    }
    Submission submission;
    try {
      submission = planning.accept(message);
    } catch (PocketwatchException e) {
      return CompletableFuture.failedFuture(e);
    }
    String reason = reasonToStore(submission);
    return broker.notifyListener(
        reason == null ? planning.publish(submission) : inserter.publish(submission, reason));
  }

  @Override
  public @Nullable String reasonToStore(Submission submission) {
    return rule.reasonToStore(submission);
  }

  @Override
  public CompletableFuture<PublishReceipt> store(Submission submission) {
    String reason = reasonToStore(submission);
    return broker.notifyListener(
        inserter.publish(submission, reason == null ? "asked for" : reason));
  }

  @Override
  public CompletableFuture<ChangeOutcome> cancel(String id, Instant deliverAt) {
    return broker.cancel(id, deliverAt);
  }

  @Override
  public CompletableFuture<ChangeOutcome> cancel(PublishReceipt receipt) {
    if (receipt.strategy() != DelayStrategy.STORE) {
      return broker.cancel(receipt);
    }
    MessageKey key = new MessageKey(receipt.route(), receipt.id());
    try {
      return callbacks.ask(() -> cancel(key), cancelling, patience, ChangeOutcome.UNCERTAIN);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(closedAlready());
    }
  }

  private ChangeOutcome cancel(MessageKey key) {
    try {
      return store.cancel(key);
    } catch (StoreException e) {
      return ChangeOutcome.UNCERTAIN;
    }
  }

  @Override
  public SchedulingStore store() {
    return new HandOffStore(store, handOffs::rowChanged, handOffs::routeChanged);
  }

  @Override
  public <T> T unwrap(Class<T> part) {
    if (part == HandOff.class) {
      return part.cast(handOffs);
    }
    if (part == OwnBroker.class) {
      return part.cast(ownBroker);
    }
    if (part == RowPlanning.class) {
      return part.cast(this);
    }
    return part == DelayStore.class ? part.cast(store) : broker.unwrap(part);
  }

  @Override
  public DelayRoutes routes() {
    return broker.routes();
  }

  @Override
  public void connect() {
    broker.connect();
  }

  @Override
  public PublisherStatus status() {
    return broker.status();
  }

  @Override
  public CompletableFuture<Void> declareWheel() {
    return broker.declareWheel();
  }

  /** Stores and hands off accepted messages first, and then closes the broker's part. */
  @Override
  public void close() {
    closed = true;
    inserter.close(patience);
    handOffs.stopTaking(patience);
    broker.close();
    cancelling.shutdown();
    handOffs.close();
    clock.close();
  }

  private static IllegalStateException closedAlready() {
    return new IllegalStateException("this publisher is closed");
  }
}
