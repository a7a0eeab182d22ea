// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.background;

import io.pocketwatch.internal.base.Threads;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks again and again. A slow task delays others only if all threads are busy. */
public final class Background implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final ScheduledExecutorService timer;

  /**
   * @param name of its threads
   * @param threads how many tasks run at a time
   */
  public Background(String name, int threads) {
    timer = Executors.newScheduledThreadPool(threads, Threads.named(name));
  }

  /** Runs a task now, and again that long after each end, whether it failed or not. */
  public void every(Duration pause, Runnable task) {
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(
            () -> attempt(task), 0, pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Runs a task once, as soon as a thread is free. */
  public void soon(Runnable task) {
    timer.execute(() -> attempt(task));
  }

  private static void attempt(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) { // the timer would silently drop it
      LOG.error("The work goes on after a fault of ours", e);
    }
  }

  /** Interrupts running tasks, and does not wait for them. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
