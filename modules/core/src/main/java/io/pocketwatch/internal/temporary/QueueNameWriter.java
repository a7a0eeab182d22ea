// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.BrokerError;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.topology.QueueSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
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
final class QueueNameWriter implements AutoCloseable {
  /** So that many queues share one that follows. */
  private static final long WAIT_MILLIS = 20;

  private final AdminChannels admin;
  private final IntFunction<QueueSpec> following;
  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
  private boolean planned;
  private boolean closed;

  /** Of the next to follow: an even and the odd after it by turns. */
  private int number;

  /** What declares a queue. */
  interface Declaring {
    void run() throws IOException, TimeoutException;
  }

  /**
   * @param following a queue of no other use, by a number. There are two by turns, because each
   *     name stays in the broker's memory. Others are used whenever it is not known whether the
   *     last one is gone
   * @param executor for what waits for an answer of the broker
   */
  QueueNameWriter(
      AdminChannels admin,
      IntFunction<QueueSpec> following,
      ScheduledExecutorService timer,
      Executor executor) {
    this.admin = admin;
    this.following = following;
    this.timer = timer;
    this.executor = executor;
  }

  /**
   * Declares a quorum queue.
   *
   * @return done when the broker has written it down; fails with an {@link IOException} if we do
   *     not know
   */
  CompletableFuture<Void> declare(Declaring declaring) throws IOException, TimeoutException {
    declaring.run();
    CompletableFuture<Void> own = new CompletableFuture<>();
    add(own);
    plan();
    return own;
  }

  private synchronized void add(CompletableFuture<Void> own) {
    waiting.add(own);
  }

  private synchronized List<CompletableFuture<Void>> before() {
    return List.copyOf(waiting);
  }

  private synchronized void remove(List<CompletableFuture<Void>> done) {
    waiting.removeAll(done);
  }

  /** Outside the lock, as {@link #unknown}: what hangs on a future runs here. */
  private void written(List<CompletableFuture<Void>> before) {
    remove(before);
    before.forEach(each -> each.complete(null));
  }

  private void unknown(List<CompletableFuture<Void>> before, IOException why) {
    remove(before);
    before.forEach(each -> each.completeExceptionally(why));
  }

  /** Whoever waits is followed, or told that nothing is known. */
  private void plan() {
    if (!tryPlan()) {
      unknown(before(), new IOException("this publisher is closed"));
    }
  }

  /** One at a time: declared again before it is deleted, it would be none. */
  private synchronized boolean tryPlan() {
    if (closed) {
      return false;
    }
    if (planned || waiting.isEmpty()) {
      return true;
    }
    try {
      timer.schedule(this::followElsewhere, WAIT_MILLIS, TimeUnit.MILLISECONDS);
      planned = true;
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  private synchronized void unplan() {
    planned = false;
  }

  private void followElsewhere() {
    try {
      executor.execute(this::follow);
    } catch (RuntimeException | Error e) { // "no more threads": those who wait must be told
      failed(e);
    }
  }

  private void failed(Throwable e) {
    unplan();
    unknown(before(), asIo(e)); // whoever comes from here on plans anew
  }

  private void follow() {
    List<CompletableFuture<Void>> before = before();
    if (!before.isEmpty()) {
      QueueSpec queue = following.apply(number);
      try {
        admin.call(channel -> TopologyKeeper.declare(channel, queue));
        written(before);
        admin.call(channel -> channel.queueDelete(queue.name()));
        number ^= 1;
      } catch (IOException | TimeoutException | RuntimeException | Error e) {
        number = (number | 1) + 1;
        unknown(before, asIo(e));
      }
    }
    unplan();
    plan();
  }

  private static IOException asIo(Throwable e) {
    return e instanceof IOException io ? io : new IOException(BrokerError.text(e), e);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    plan();
  }
}
