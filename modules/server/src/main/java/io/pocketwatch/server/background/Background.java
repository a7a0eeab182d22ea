// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does things again and again, each on a thread of its own. */
final class Background implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final int TASKS = 3;

  private final ScheduledExecutorService timer =
      Executors.newScheduledThreadPool(TASKS, Threads.named("background"));

  void every(Duration pause, Runnable task) {
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) { // the timer would silently drop it
                LOG.error("Going on after a fault of ours", e);
              }
            },
            0,
            pause.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
