// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Refreshes gauges of the store every 15 s, so that reading one asks no database. */
final class GaugeRefresh implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(GaugeRefresh.class);
  private static final Duration EVERY = Duration.ofSeconds(15);

  private final @Nullable Runnable gauges;
  private @Nullable ScheduledExecutorService timer;

  /**
   * @param gauges counts anew; null if there is no store
   */
  GaugeRefresh(@Nullable Runnable gauges) {
    this.gauges = gauges;
  }

  @Override
  public synchronized void start() {
    if (timer == null && gauges != null) {
      timer = Executors.newSingleThreadScheduledExecutor(GaugeRefresh::thread);
      timer.scheduleWithFixedDelay(
          () -> refresh(gauges), 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "pocketwatch-gauges");
    thread.setDaemon(true);
    return thread;
  }

  private static void refresh(Runnable gauges) {
    try {
      gauges.run();
    } catch (RuntimeException | Error e) { // thrown on, it would end the timer silently
      LOG.debug("The counts keep their values", e);
    }
  }

  @Override
  public synchronized void stop() {
    if (timer != null) {
      timer.shutdownNow();
      timer = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return timer != null;
  }
}
