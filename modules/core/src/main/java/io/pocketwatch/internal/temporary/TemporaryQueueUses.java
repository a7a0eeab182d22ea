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
 * What this process knows of the temporary queues that it has declared and sent to, or is about to.
 * It deletes them when their message is gone. One that got no message is forgotten, and left to its
 * expiry. Thread-safe.
 */
final class TemporaryQueueUses implements AutoCloseable {
  enum Use {
    /** Being declared, or its message is on the way to it. */
    SENDING,
    /** Its message is in it, or somebody else sends it, and hears the answer. */
    HELD,
    /** No answer came: its message may be in it. */
    UNSURE
  }

  private static final Logger LOG = LoggerFactory.getLogger(TemporaryQueueUses.class);

  /**
   * When a queue may be declared again that the broker has declared late, or perhaps not at all. It
   * would be deleted first, and by then the nodes of a cluster should have recovered. One that has
   * not, and read the list of queues before, makes a member for it. Two such members elect a
   * leader, whose dead-letter worker finds no queue and crashes. After a hundred crashes no quorum
   * queue that this node leads is dead-lettered until it is restarted. This was seen on RabbitMQ
   * 4.3.6 with two nodes of three killed.
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
   * @param uptime for how long the broker has been there without a break
   * @param executor for what waits for an answer of the broker
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
   * Before it is declared.
   *
   * @param replacing whether a copy of the message that it holds makes way
   * @return its use before, by an attempt that has left it; null if there was none
   * @throws NothingSentException if there are as many as there may be, or that attempt is not over
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

  /** Null for none, which gives its place back. */
  synchronized void set(String queue, @Nullable Use use) {
    if (use == null) {
      uses.remove(queue);
    } else {
      uses.put(queue, use);
    }
  }

  /** The broker did not answer for the queue, or late. It is being declared for a while longer. */
  void unanswered(String queue) {
    later(queue, RECOVERED, () -> forget(queue));
  }

  /**
   * There is a message in the queue, or may be.
   *
   * @param wait until it has certainly left, and lingered
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
    set(queue, null); // last: from here on its name may be taken again
  }

  private void cleanUpAfter(String queue, Duration wait) {
    later(
        queue,
        wait,
        () -> {
          try {
            executor.execute(() -> cleanUp(queue));
          } catch (Error e) { // no more threads; nobody else would give its place back
            cleanUpAfter(queue, options.linger());
          }
        });
  }

  private void cleanUp(String queue) {
    Duration away = options.linger().minus(uptime.get());
    if (away.compareTo(Duration.ZERO)
        > 0) { // what fell due while it was away is on its way only now
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
      // Also where there are no more threads: or its place would never be given back.
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

  /** Forgets them all; their own expiry deletes them. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
