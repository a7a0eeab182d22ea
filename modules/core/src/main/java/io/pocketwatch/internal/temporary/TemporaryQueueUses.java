// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The temporary queues that this process has declared and sent to, or is about to. It deletes a
 * queue when its message is gone. A queue that got no message is forgotten, and left to expire.
 * Thread-safe.
 */
final class TemporaryQueueUses implements AutoCloseable {
  enum Use {
    /** The queue is being declared, or its message is on the way to it. */
    SENDING,
    /** The queue has its message, or a framework sends that, and gets the broker's answer. */
    HELD,
    /** No answer came: the queue may have its message. */
    UNSURE
  }

  private static final Logger LOG = LoggerFactory.getLogger(TemporaryQueueUses.class);

  /**
   * The wait before a queue is declared again that the broker has declared late, or perhaps not at
   * all. It is deleted first, and by then the nodes of a cluster should have recovered. A node that
   * has not, and has read the list of queues before, makes a member for it. Two such members elect
   * a leader, whose dead-letter worker finds no queue and crashes. After a hundred crashes no
   * quorum queue led by this node is dead-lettered until a restart. This was seen on RabbitMQ 4.3.6
   * with two nodes of three killed.
   */
  private static final Duration RECOVERED = Duration.ofSeconds(30);

  private final AdminChannels admin;
  private final TemporaryQueueOptions options;
  private final Supplier<Duration> uptime;
  private final Executor executor;
  private final ScheduledExecutorService timer;
  private final Map<String, Use> uses = new HashMap<>();
  private final Map<String, Future<?>> planned = new ConcurrentHashMap<>();

  /**
   * @param uptime how long the present connection has lasted
   * @param executor runs the calls that wait for the broker
   */
  TemporaryQueueUses(
      AdminChannels admin,
      TemporaryQueueOptions options,
      Supplier<Duration> uptime,
      Executor executor,
      Scheduler scheduler) {
    this.admin = admin;
    this.options = options;
    this.uptime = uptime;
    this.executor = executor;
    this.timer = scheduler.timer("pocketwatch-janitor", 1);
  }

  /**
   * Reserves a queue before it is declared.
   *
   * @param replacing whether the copy of the message that it holds is replaced
   * @return the queue's use by an earlier attempt that is over; null if there was none
   * @throws NothingSentException if the limit of queues is reached, or that attempt is not over
   * @throws InvalidMessageException if it holds its message and is not replaced
   */
  synchronized @Nullable Use reserve(String id, String queue, boolean replacing) {
    Use use = uses.get(queue);
    if (use == Use.HELD && !replacing) {
      throw new InvalidMessageException(id, "a message with this id is held already");
    }
    if (use == Use.SENDING) {
      throw new NothingSentException(
          "an earlier attempt with its temporary queue is not over; nothing was sent");
    }
    if (use == null && uses.size() >= options.max()) {
      throw new NothingSentException(
          Cause.NO_ROOM,
          options.max() + " temporary queues are in use, the limit (temporary-queues.max)");
    }
    uses.put(queue, Use.SENDING);
    return use;
  }

  synchronized boolean is(String queue, Use use) {
    return uses.get(queue) == use;
  }

  /** Sets the use of a queue; null ends it, and frees its place. */
  synchronized void set(String queue, @Nullable Use use) {
    if (use == null) {
      uses.remove(queue);
    } else {
      uses.put(queue, use);
    }
  }

  /** Notes that the broker did not answer for the queue, or late: it may yet be declared. */
  void unanswered(String queue) {
    later(queue, RECOVERED, () -> forget(queue));
  }

  /**
   * Notes that the queue has its message, or may have it.
   *
   * @param wait the time until its message is due, plus the linger
   */
  void used(String queue, Use use, Duration wait) {
    set(queue, use);
    cleanUpAfter(queue, wait);
  }

  void forget(String queue) {
    Future<?> cleanUp = planned.remove(queue);
    if (cleanUp != null) {
      cleanUp.cancel(false);
    }
    set(queue, null); // last: after this the name may be used again
  }

  private void cleanUpAfter(String queue, Duration wait) {
    later(
        queue,
        wait,
        () -> {
          try {
            executor.execute(() -> cleanUp(queue));
          } catch (Error e) { // no thread left: try later, or its place is lost
            cleanUpAfter(queue, options.linger());
          }
        });
  }

  private void cleanUp(String queue) {
    Duration away = options.linger().minus(uptime.get());
    if (away.compareTo(Duration.ZERO)
        > 0) { // messages that fell due during an outage go out only now
      cleanUpAfter(queue, away);
      return;
    }
    try {
      if (admin.holdsMessage(queue)) {
        cleanUpAfter(queue, options.linger());
      } else {
        admin.call(channel -> channel.queueDelete(queue));
        forget(queue);
      }
    } catch (IOException | TimeoutException | RuntimeException | Error e) {
      // Also if no thread is left, or its place would never be free again.
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        forget(queue);
      } else {
        LOG.debug("Cannot clean up {} yet: {}", queue, ErrorWords.of(e));
        cleanUpAfter(queue, options.linger());
      }
    }
  }

  private void later(String queue, Duration wait, Runnable task) {
    try {
      Future<?> before =
          planned.put(queue, timer.schedule(task, wait.toMillis(), TimeUnit.MILLISECONDS));
      if (before != null) {
        before.cancel(false);
      }
    } catch (RejectedExecutionException e) {
      LOG.debug("The publisher is closed: a temporary queue is left to its own expiry", e);
    }
  }

  /** Forgets all queues, which then expire. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
