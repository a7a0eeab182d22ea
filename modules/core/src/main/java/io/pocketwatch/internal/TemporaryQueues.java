// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.CancelOutcome;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.TopologyException;
import io.pocketwatch.plan.PublishPlan;
import io.pocketwatch.route.TemporaryQueueOptions;
import io.pocketwatch.topology.BindingSpec;
import io.pocketwatch.topology.Names;
import io.pocketwatch.topology.TemporaryQueue;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues that hold one message each: declared before it, deleted some time after it is due. What a
 * process does not live to delete, the queue's own expiry does.
 */
final class TemporaryQueues implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryQueues.class);

  /** After the due time deleting can destroy a message on its way, and the broker reports 0. */
  private static final Duration CANCEL_MARGIN = Duration.ofSeconds(1);

  private final AdminChannels admin;
  private final Names names;
  private final TemporaryQueueOptions options;
  private final InstantSource clock;
  private final Supplier<Duration> upFor;
  private final Executor executor;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("pocketwatch-janitor"));
  private final Set<String> live = ConcurrentHashMap.newKeySet();

  /**
   * @param upFor for how long the broker has been there without a break
   */
  TemporaryQueues(
      AdminChannels admin,
      Names names,
      TemporaryQueueOptions options,
      InstantSource clock,
      Supplier<Duration> upFor,
      Executor executor) {
    this.admin = admin;
    this.names = names;
    this.options = options;
    this.clock = clock;
    this.upFor = upFor;
    this.executor = executor;
  }

  /**
   * Declares the queue a planned message will be sent to.
   *
   * @throws LimitReached if there are as many queues as there may be
   * @throws InvalidMessageException if its id is held in a temporary queue already
   * @throws TopologyException if the broker could not be asked
   */
  void declare(PublishPlan plan) {
    TemporaryQueue temporary = Objects.requireNonNull(plan.temporaryQueue(), "temporaryQueue");
    String queue = temporary.queue().name();
    reserve(plan.id(), queue);
    try {
      admin.call(channel -> TopologyKeeper.declare(channel, temporary.queue()));
      BindingSpec binding = temporary.binding();
      if (binding != null) {
        admin.call(channel -> TopologyKeeper.bind(channel, binding));
      }
    } catch (IOException | TimeoutException e) {
      live.remove(queue);
      if (BrokerError.refused(e)) {
        throw new InvalidMessageException(
            plan.id(), "the broker refused its temporary queue: " + BrokerError.text(e), e);
      }
      throw new TopologyException("cannot declare a temporary queue: " + BrokerError.text(e), e);
    }
  }

  /** Starts the queue's way out, now that the broker has answered or failed to. */
  void sent(PublishPlan plan, PublishOutcome outcome) {
    String queue = Objects.requireNonNull(plan.temporaryQueue(), "temporaryQueue").queue().name();
    boolean mayBeHeld = outcome == PublishOutcome.CONFIRMED || outcome == PublishOutcome.UNCERTAIN;
    Instant end = mayBeHeld ? plan.deliverAt().plus(options.linger()) : clock.instant();
    later(() -> cleanUp(queue, mayBeHeld), Duration.between(clock.instant(), end));
  }

  private synchronized void reserve(String id, String queue) {
    if (live.size() >= options.max()) {
      throw new LimitReached(options.max());
    }
    if (!live.add(queue)) {
      throw new InvalidMessageException(id, "a message with this id is held already");
    }
  }

  /** Deletes the queue with its message, if there is time for that. */
  CancelOutcome cancel(String id, Instant deliverAt) {
    if (clock.instant().isAfter(deliverAt.minus(CANCEL_MARGIN))) {
      return CancelOutcome.TOO_LATE;
    }
    String queue = names.temporaryQueue(id);
    try {
      int removed = admin.call(channel -> channel.queueDelete(queue)).getMessageCount();
      live.remove(queue);
      if (removed > 0) {
        return CancelOutcome.CANCELLED;
      }
      // The answer can take its time; if the message fell due meanwhile it may have been on its
      // way.
      return clock.instant().isBefore(deliverAt)
          ? CancelOutcome.NOT_FOUND
          : CancelOutcome.UNCERTAIN;
    } catch (IOException | TimeoutException e) {
      LOG.warn("Cancelling message {}: no answer from the broker", id, e);
      return CancelOutcome.UNCERTAIN;
    }
  }

  /** Deletes the queue if it is empty; before its message is due, the count can be trusted. */
  private void cleanUp(String queue, boolean mayBeHeld) {
    Duration uptime = upFor.get();
    if (mayBeHeld && uptime.compareTo(options.linger()) < 0) {
      // The broker was away: what fell due meanwhile is on its way only now.
      later(() -> cleanUp(queue, true), options.linger().minus(uptime));
      return;
    }
    try {
      if (admin.call(channel -> channel.queueDeclarePassive(queue)).getMessageCount() == 0) {
        admin.call(channel -> channel.queueDelete(queue));
        live.remove(queue);
        return;
      }
    } catch (IOException | TimeoutException e) {
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        live.remove(queue);
        return;
      }
      LOG.debug("Cannot clean up {} yet: {}", queue, BrokerError.text(e));
    }
    later(() -> cleanUp(queue, mayBeHeld), options.linger());
  }

  private void later(Runnable task, Duration wait) {
    try {
      timer.schedule(() -> executor.execute(task), wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed: a temporary queue is left to its own expiry", e);
    }
  }

  /** Forgets the queues there are; their own expiry deletes them. */
  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** As many temporary queues as there may be. */
  static final class LimitReached extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LimitReached(int max) {
      super(max + " temporary queues are in use, the limit (temporary-queues.max)");
    }
  }
}
