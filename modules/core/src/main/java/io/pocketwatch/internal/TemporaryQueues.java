// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.CancelOutcome;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.plan.PublishPlan;
import io.pocketwatch.route.TemporaryQueueOptions;
import io.pocketwatch.topology.Names;
import io.pocketwatch.topology.QueueSpec;
import io.pocketwatch.topology.TemporaryQueue;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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

  /** When to try again to delete a queue that holds nothing. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final AdminChannels admin;
  private final Names names;
  private final TemporaryQueueOptions options;
  private final InstantSource clock;
  private final Supplier<Duration> upFor;
  private final Executor executor;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Threads.named("pocketwatch-janitor"));
  private final TemporaryQueueUses uses;
  private final QueueNameWriter writer;
  private final TemporaryQueueMaker maker;
  private final Map<String, Future<?>> cleanUps = new ConcurrentHashMap<>();

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
    this.uses = new TemporaryQueueUses(options.max());
    String following = names.following(UUID.randomUUID() + "-");
    this.writer =
        new QueueNameWriter(
            admin, number -> QueueSpec.following(following + number), timer, executor);
    this.maker = new TemporaryQueueMaker(admin, writer, upFor);
    timer.setRemoveOnCancelPolicy(true); // a cancelled message's clean-up may be years ahead
  }

  /**
   * Declares the queue a planned message will be sent to.
   *
   * @return done when a message that is in it will outlive the broker's death; may fail with {@link
   *     NothingSentException}
   * @throws NothingSentException if there are as many queues as there may be, the broker could not
   *     be asked, or an earlier attempt is not over
   * @throws InvalidMessageException if its id is held in a temporary queue already
   */
  CompletableFuture<Void> declare(PublishPlan plan) {
    TemporaryQueue temporary = Objects.requireNonNull(plan.temporaryQueue(), "temporaryQueue");
    String queue = name(plan);
    if (!temporary.replacing()
        && (uses.isHeld(queue) && isGone(queue) || uses.isHandedOut(queue) && isFree(queue))) {
      forget(queue);
    }
    boolean again = uses.reserve(plan.id(), queue, temporary.replacing());
    try {
      return maker
          .make(temporary, again)
          .exceptionally(
              e -> {
                throw undeclared(queue, e);
              });
    } catch (NothingSentException e) {
      uses.forget(queue);
      throw e;
    } catch (IOException | TimeoutException e) {
      if (BrokerError.refused(e)) {
        uses.forget(queue);
        throw new InvalidMessageException(
            plan.id(), "the broker refused its temporary queue: " + BrokerError.text(e), e);
      }
      throw undeclared(queue, e);
    }
  }

  /** With the broker's disk, or by a policy that expires queues. */
  private boolean isGone(String queue) {
    try {
      admin.call(channel -> channel.queueDeclarePassive(queue));
      return false;
    } catch (IOException | TimeoutException e) {
      return BrokerError.code(e) == BrokerError.NOT_FOUND;
    }
  }

  /** What was to be sent to it may have been refused, or rolled back; then it may be sent again. */
  private boolean isFree(String queue) {
    try {
      return !admin.call(channel -> MessageCount.isPositive(channel, queue))
          && upFor.get().compareTo(TemporaryQueueMaker.SETTLED) >= 0;
    } catch (IOException | TimeoutException e) {
      return BrokerError.code(e) == BrokerError.NOT_FOUND;
    }
  }

  private NothingSentException undeclared(String queue, Throwable e) {
    vacate(queue, SOON); // it may be there all the same
    return new NothingSentException(
        "cannot declare a temporary queue: " + BrokerError.text(e) + "; nothing was sent", e);
  }

  /** Starts the queue's way out, now that the broker has answered or failed to. */
  void sent(PublishPlan plan, PublishOutcome outcome) {
    if (outcome == PublishOutcome.CONFIRMED) {
      uses.held(name(plan));
      laterThanDue(plan);
    } else if (outcome == PublishOutcome.UNCERTAIN) {
      uses.unsure(name(plan));
      laterThanDue(plan);
    } else {
      unused(plan);
    }
  }

  /** The same for a queue whose message somebody else sends, and hears the answer. */
  void handedOut(PublishPlan plan) {
    uses.handedOut(name(plan));
    laterThanDue(plan);
  }

  private void laterThanDue(PublishPlan plan) {
    Instant end = plan.deliverAt().plus(options.linger());
    later(name(plan), true, Duration.between(clock.instant(), end));
  }

  /** Starts the way out of a queue that has been declared and will certainly get no message. */
  void unused(PublishPlan plan) {
    vacate(name(plan), Duration.ZERO);
  }

  private void vacate(String queue, Duration wait) {
    uses.vacant(queue);
    later(queue, false, wait);
  }

  private static String name(PublishPlan plan) {
    return Objects.requireNonNull(plan.temporaryQueue(), "temporaryQueue").queue().name();
  }

  /** Deletes the queue with its message, if there is time for that. */
  CancelOutcome cancel(String id, Instant deliverAt) {
    if (clock.instant().isAfter(deliverAt.minus(CANCEL_MARGIN))) {
      return CancelOutcome.TOO_LATE;
    }
    String queue = names.temporaryQueue(TemporaryQueue.token(id, deliverAt));
    try {
      if (admin.call(channel -> channel.queueDeclarePassive(queue)).getMessageCount() == 0) {
        return CancelOutcome.UNCERTAIN; // not there yet, or the queue has no leader to count it
      }
      int removed = admin.call(channel -> channel.queueDelete(queue)).getMessageCount();
      forget(queue);
      // The answer can take its time. If the message fell due meanwhile it may have been on its
      // way,
      // even if it was counted: the broker counts first and deletes then.
      return removed > 0 && clock.instant().isBefore(deliverAt)
          ? CancelOutcome.CANCELLED
          : CancelOutcome.UNCERTAIN;
    } catch (IOException | TimeoutException e) {
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        forget(queue);
        return CancelOutcome.NOT_FOUND;
      }
      LOG.warn("Cancelling message {}: no answer from the broker", id, e);
      return CancelOutcome.UNCERTAIN;
    }
  }

  /** Deletes the queue if it is empty; before its message is due, the count can be trusted. */
  private void cleanUp(String queue, boolean mayBeHeld) {
    if (!mayBeHeld && !uses.leave(queue)) {
      return;
    }
    Duration uptime = upFor.get();
    if (mayBeHeld && uptime.compareTo(options.linger()) < 0) {
      // The broker was away: what fell due meanwhile is on its way only now.
      later(queue, true, options.linger().minus(uptime));
      return;
    }
    try {
      if (admin.call(channel -> channel.queueDeclarePassive(queue)).getMessageCount() == 0) {
        admin.call(channel -> channel.queueDelete(queue));
        forget(queue);
        return;
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        forget(queue);
        return;
      }
      LOG.debug("Cannot clean up {} yet: {}", queue, BrokerError.text(e));
    }
    if (mayBeHeld) {
      later(queue, true, options.linger());
    } else {
      vacate(queue, SOON);
    }
  }

  private void later(String queue, boolean mayBeHeld, Duration wait) {
    Runnable task = () -> executor.execute(() -> cleanUp(queue, mayBeHeld));
    try {
      cleanUps.put(queue, timer.schedule(task, wait.toMillis(), TimeUnit.MILLISECONDS));
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed: a temporary queue is left to its own expiry", e);
    }
  }

  private void forget(String queue) {
    uses.forget(queue);
    Future<?> cleanUp = cleanUps.remove(queue);
    if (cleanUp != null) {
      cleanUp.cancel(false);
    }
  }

  /** Forgets the queues there are; their own expiry deletes them. */
  @Override
  public void close() {
    timer.shutdownNow();
    writer.close();
  }
}
