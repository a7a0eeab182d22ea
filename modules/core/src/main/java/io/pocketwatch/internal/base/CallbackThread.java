// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that ends futures, and so runs what users hang on them. While it waits no other
 * future ends, so that it waits for nothing: {@link #patience} is zero there.
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

  /** Also after the end, on the calling thread: no future may stay open. */
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

  /** How long the calling thread may wait for what a callback brings. */
  public Duration patience(Duration elsewhere) {
    return isCurrentThread() ? Duration.ZERO : elsewhere;
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
