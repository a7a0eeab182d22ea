// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.topology.QueueSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/**
 * Finds out when a quorum queue that was just declared will survive a crash of its broker.
 *
 * <p>A node keeps the names of its quorum queues in a file (Ra's {@code names.dets}) that it writes
 * some time later. Killed before that, it finds the queue in its configuration and not in that
 * file, logs {@code Starting member as a new one}, and has forgotten what the queue had confirmed.
 *
 * <p>It also writes what is outstanding before it looks into the file for a name, as it does
 * whenever a queue is declared. So we declare one of no other use after those that matter. It finds
 * a name without the file only if that name is outstanding itself, as of a queue deleted a moment
 * ago. That is why ours have two names by turns, and why no other declaration counts. Thread-safe.
 */
final class QueueNameFlush implements AutoCloseable {
  /** The wait for further queues, to share one flush. */
  private static final long WAIT_MILLIS = 20;

  private final AdminChannels admin;
  private final IntFunction<QueueSpec> flushQueue;

  /** One thread, since a flush queue declared again before it is deleted would flush nothing. */
  private final ScheduledExecutorService thread;

  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /** The number of the next flush queue: by turns an even one and the odd one after it. */
  private int number;

  /**
   * @param flushQueue makes a queue of no other use, by its number. Two take turns, because each
   *     name stays in the broker's memory. Other numbers are used if the last queue may not be
   *     deleted
   */
  QueueNameFlush(AdminChannels admin, IntFunction<QueueSpec> flushQueue, Scheduler scheduler) {
    this.thread = scheduler.timer("pocketwatch-queue-names", 1);
    this.admin = admin;
    this.flushQueue = flushQueue;
  }

  /**
   * Makes the broker write down the quorum queues that were declared by now.
   *
   * @return completes when it has; fails with an {@link IOException} if that is not known
   */
  CompletableFuture<Void> write() {
    CompletableFuture<Void> own = new CompletableFuture<>();
    if (add(own)) {
      try {
        ScheduledFuture<?> unused =
            thread.schedule(this::flushNames, WAIT_MILLIS, TimeUnit.MILLISECONDS);
      } catch (RuntimeException | Error e) { // closed, or no more threads
        unknown(takeAll(), e);
      }
    }
    return own;
  }

  /** Adds a waiting future; returns whether it is the first. */
  private synchronized boolean add(CompletableFuture<Void> own) {
    waiting.add(own);
    return waiting.size() == 1;
  }

  private synchronized List<CompletableFuture<Void>> takeAll() {
    List<CompletableFuture<Void>> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  private void flushNames() {
    List<CompletableFuture<Void>> before = takeAll();
    if (before.isEmpty()) {
      return; // write() has failed them for want of a thread
    }
    QueueSpec queue = flushQueue.apply(number);
    try {
      admin.call(channel -> TopologyKeeper.declare(channel, queue));
      before.forEach(each -> each.complete(null));
      admin.call(channel -> channel.queueDelete(queue.name()));
      number ^= 1;
    } catch (IOException | TimeoutException | RuntimeException | Error e) {
      number = (number | 1) + 1;
      unknown(before, e);
    }
  }

  private static void unknown(List<CompletableFuture<Void>> before, Throwable e) {
    IOException why = e instanceof IOException io ? io : new IOException(ErrorWords.of(e), e);
    before.forEach(each -> each.completeExceptionally(why));
  }

  /** Fails the waiting futures, since nothing is known of their queues. */
  @Override
  public void close() {
    thread.shutdownNow();
    unknown(takeAll(), new IOException("this publisher is closed"));
  }
}
