// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.topology.QueueSpec;
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
 * some time later, or when the next one is declared. Killed before that, it finds the queue in its
 * configuration and not in that file, logs {@code Starting member as a new one}, and has forgotten
 * what the queue had confirmed. So a queue is safe once another was declared after it; where nobody
 * declares one, we do. Thread-safe.
 */
final class QueueNameWriter implements AutoCloseable {
  /** Under load another one comes by itself. */
  private static final long WAIT_MILLIS = 20;

  private final AdminChannels admin;
  private final IntFunction<QueueSpec> following;
  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
  private boolean planned;
  private boolean closed;
  private int life;

  /** What declares a queue. */
  interface Declaring {
    void run() throws IOException, TimeoutException;
  }

  /**
   * @param following a queue of no other use, by a number: a new one whenever it is not known
   *     whether the one before is gone
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
    List<CompletableFuture<Void>> before = before();
    declaring.run();
    written(before);
    CompletableFuture<Void> own = new CompletableFuture<>();
    synchronized (this) {
      waiting.add(own);
      if (closed) {
        failAll(new IOException("this publisher is closed"));
      }
    }
    planned();
    return own;
  }

  private synchronized List<CompletableFuture<Void>> before() {
    return List.copyOf(waiting);
  }

  private void written(List<CompletableFuture<Void>> before) {
    synchronized (this) {
      waiting.removeAll(before);
    }
    before.forEach(each -> each.complete(null));
  }

  /** One at a time: declared again before it is deleted, it would be none. */
  private synchronized void planned() {
    if (planned || waiting.isEmpty()) {
      return;
    }
    try {
      timer.schedule(() -> executor.execute(this::follow), WAIT_MILLIS, TimeUnit.MILLISECONDS);
      planned = true;
    } catch (RejectedExecutionException e) {
      failAll(new IOException("this publisher is closed", e));
    }
  }

  private void follow() {
    List<CompletableFuture<Void>> before = before();
    if (!before.isEmpty()) {
      QueueSpec queue = following.apply(life);
      try {
        admin.call(channel -> TopologyKeeper.declare(channel, queue));
        written(before);
        admin.call(channel -> channel.queueDelete(queue.name()));
      } catch (IOException | TimeoutException | RuntimeException e) {
        life++;
        synchronized (this) {
          waiting.removeAll(before);
        }
        before.forEach(each -> each.completeExceptionally(asIo(e)));
      }
    }
    synchronized (this) {
      planned = false;
    }
    planned();
  }

  private static IOException asIo(Exception e) {
    return e instanceof IOException io ? io : new IOException(BrokerError.text(e), e);
  }

  private void failAll(IOException why) {
    List<CompletableFuture<Void>> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(each -> each.completeExceptionally(why));
  }

  /** Whoever waits is told that nothing is known. */
  @Override
  public synchronized void close() {
    closed = true;
    failAll(new IOException("this publisher is closed"));
  }
}
