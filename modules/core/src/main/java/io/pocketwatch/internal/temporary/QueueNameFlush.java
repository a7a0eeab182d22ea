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
 * Tells when a quorum queue that was just declared will outlive its broker's death.
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
  /** So that many queues share one flush. */
  private static final long WAIT_MILLIS = 20;

  private final AdminChannels admin;
  private final IntFunction<QueueSpec> flushQueue;

  /** One, as a flush queue declared again before it is deleted would flush nothing. */
  private final ScheduledExecutorService thread;

  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /** Of the next flush queue: an even number and the odd one after it by turns. */
  private int number;

  /**
   * @param flushQueue a queue of no other use, by a number. There are two by turns, because each
   *     name stays in the broker's memory. Others are used whenever it is not known whether the
   *     last one is gone
   */
  QueueNameFlush(AdminChannels admin, IntFunction<QueueSpec> flushQueue, Scheduler scheduler) {
    this.thread = scheduler.timer("pocketwatch-queue-names", 1);
    this.admin = admin;
    this.flushQueue = flushQueue;
  }

  /**
   * Has the broker write down the quorum queues that were declared by now.
   *
   * @return done when it has; fails with an {@link IOException} if we do not know
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

  /** Whether it is the first that waits. */
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
      return; // they were told that there was no thread for this
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

  /** Whoever waits is told that nothing is known. */
  @Override
  public void close() {
    thread.shutdownNow();
    unknown(takeAll(), new IOException("this publisher is closed"));
  }
}
