// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that completes futures, and so runs the continuations of users. While it waits no
 * other future completes, so it must not wait: {@link #patience} is zero there.
 */
public final class CallbackThread implements AutoCloseable {
  private final ExecutorService executor;
  private volatile @Nullable Thread thread;

  public CallbackThread() {
    this(Scheduler.SYSTEM);
  }

  public CallbackThread(Scheduler scheduler) {
    executor = scheduler.threads("pocketwatch-callback", 1);
  }

  /** Runs the task, after {@link #close} on the calling thread: no future may stay open. */
  public void run(Runnable task) {
    try {
      executor.execute(() -> here(task));
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  private void here(Runnable task) {
    thread = Thread.currentThread();
    try {
      task.run();
    } finally {
      thread = null;
    }
  }

  public boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  /**
   * Asks on other threads, and completes on this one: a continuation may publish, and so wait for
   * the very threads that answered.
   *
   * @param late the answer if there is none in time
   * @throws RejectedExecutionException if those threads have ended
   */
  public <T> CompletableFuture<T> ask(
      Supplier<T> question, Executor threads, Duration patience, T late) {
    return CompletableFuture.supplyAsync(question, threads)
        .completeOnTimeout(late, patience.toNanos(), TimeUnit.NANOSECONDS)
        .thenApplyAsync(answer -> answer, this::run);
  }

  /** How long the calling thread may wait for something that a callback frees. */
  public Duration patience(Duration elsewhere) {
    return isCurrentThread() ? Duration.ZERO : elsewhere;
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
