// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that ends futures, and so runs what users hang on them. While it waits no other
 * future ends, so that it waits for nothing: {@link #patience} is zero there.
 */
public final class CallbackThread implements AutoCloseable {
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread made = Threads.named("pocketwatch-callback").newThread(task);
            thread = made;
            return made;
          });
  private volatile @Nullable Thread thread;

  /** Also after the end, on the calling thread: no future may stay open. */
  public void run(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
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
