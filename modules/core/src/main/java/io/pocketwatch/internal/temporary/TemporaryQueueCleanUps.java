// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.temporary.TemporaryQueueUses.Use;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
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

/** Deletes the temporary queues of this process when they are of no use any more. Thread-safe. */
final class TemporaryQueueCleanUps {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryQueueCleanUps.class);

  /**
   * When to look for a queue that the broker declared late, or perhaps not at all, and to delete
   * it. By then the nodes of a cluster that has just found itself again should have recovered. A
   * node that has not, and read the list of queues before this one was deleted, makes a member for
   * it. Two such members elect a leader, whose dead-letter worker finds no queue and crashes. After
   * a hundred crashes the supervisor of all workers (rabbit_fifo_dlx_sup) gives up. Then no quorum
   * queue which that node leads is dead-lettered until it is restarted. This was seen on RabbitMQ
   * 4.3.6 with two nodes of three killed. Only a queue that was declared while they recovered can
   * do it.
   */
  private static final Duration RECOVERED = Duration.ofSeconds(30);

  private final AdminChannels admin;
  private final TemporaryQueueUses uses;
  private final Duration linger;
  private final Supplier<Duration> upFor;
  private final ScheduledThreadPoolExecutor timer;
  private final Executor executor;
  private final Map<String, Future<?>> planned = new ConcurrentHashMap<>();

  /**
   * @param linger how long one stays after its message is due
   * @param upFor for how long the broker has been there without a break
   * @param executor for what waits for an answer of the broker
   */
  TemporaryQueueCleanUps(
      AdminChannels admin,
      TemporaryQueueUses uses,
      Duration linger,
      Supplier<Duration> upFor,
      ScheduledThreadPoolExecutor timer,
      Executor executor) {
    this.admin = admin;
    this.uses = uses;
    this.linger = linger;
    this.upFor = upFor;
    this.timer = timer;
    this.executor = executor;
  }

  /**
   * The broker was asked for the queue and did not answer, or late; nothing was sent to it.
   *
   * @param shared as in {@link #vacant}
   */
  void unanswered(String queue, boolean shared) {
    uses.set(queue, Use.UNANSWERED);
    later(queue, RECOVERED, () -> cleanUpUnanswered(queue, shared));
  }

  /**
   * The queue is there, and certainly gets no message of ours.
   *
   * @param shared whether another process may send to it meanwhile. Then it is left to its expiry,
   *     as a message could come between looking into it and deleting it
   */
  void vacant(String queue, boolean shared) {
    if (shared) {
      forget(queue);
      return;
    }
    uses.set(queue, Use.VACANT);
    later(queue, Duration.ZERO, () -> cleanUpVacant(queue, false));
  }

  /**
   * There is a message in the queue, or may be.
   *
   * @param wait until it has certainly left
   */
  void held(String queue, Duration wait) {
    later(queue, wait, () -> cleanUpHeld(queue));
  }

  void forget(String queue) {
    Future<?> cleanUp = planned.remove(queue);
    if (cleanUp != null) {
      cleanUp.cancel(false);
    }
    uses.forget(queue); // last: from here on its name may be taken again
  }

  private void cleanUpUnanswered(String queue, boolean shared) {
    if (uses.replace(queue, Use.UNANSWERED, Use.VACANT)) {
      cleanUpVacant(queue, shared);
    }
  }

  private void cleanUpVacant(String queue, boolean shared) {
    if (!uses.replace(queue, Use.VACANT, Use.LEAVING)) {
      return;
    }
    if (shared) {
      forget(queue);
      return;
    }
    deleteIfEmpty(
        queue,
        () -> {
          // Of an attempt before, or of another process with the same stored message.
          LOG.debug("{} is left to its own expiry: it holds a message", queue);
          forget(queue);
        },
        () -> unanswered(queue, false));
  }

  private void cleanUpHeld(String queue) {
    Duration uptime = upFor.get();
    if (uptime.compareTo(linger) < 0) {
      // The broker was away: what fell due meanwhile is on its way only now.
      held(queue, linger.minus(uptime));
      return;
    }
    deleteIfEmpty(queue, () -> held(queue, linger), () -> held(queue, linger));
  }

  private void deleteIfEmpty(String queue, Runnable ifNot, Runnable ifUnknown) {
    try {
      if (admin.holdsMessage(queue)) {
        ifNot.run();
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
        ifUnknown.run();
      }
    }
  }

  private void later(String queue, Duration wait, Runnable task) {
    try {
      Future<?> before =
          planned.put(
              queue,
              timer.schedule(() -> executor.execute(task), wait.toMillis(), TimeUnit.MILLISECONDS));
      if (before != null) {
        before.cancel(false);
      }
    } catch (RejectedExecutionException e) {
      LOG.debug("The publisher is closed: a temporary queue is left to its own expiry", e);
    }
  }
}
