// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's clock, read on this machine: its own, corrected by an offset that is measured when it
 * is made and once a minute.
 */
final class StoreClock implements InstantSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreClock.class);

  /** The first one of a process is slow, and therefore wrong by the most. */
  private static final int MEASUREMENTS = 5;

  private static final Duration WORTH_A_WARNING = Duration.ofSeconds(1);

  private final DelayStore store;
  private final InstantSource local;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("pocketwatch-clock"));

  /** The store's time minus this machine's. */
  private volatile Duration offset = Duration.ZERO;

  StoreClock(DelayStore store, InstantSource local) {
    this.store = store;
    this.local = local;
  }

  /**
   * @throws StoreException if the store does not answer now
   */
  void start() {
    measure();
    timer.scheduleWithFixedDelay(this::measureAgain, 1, 1, TimeUnit.MINUTES);
  }

  @Override
  public Instant instant() {
    return local.instant().plus(offset);
  }

  private void measure() {
    Duration shortest = Duration.ofSeconds(Long.MAX_VALUE);
    Duration best = Duration.ZERO;
    for (int i = 0; i < MEASUREMENTS; i++) {
      Instant before = local.instant();
      Instant there = store.now();
      Instant after = local.instant();
      Duration roundTrip = Duration.between(before, after);
      if (roundTrip.compareTo(shortest) < 0) {
        shortest = roundTrip;
        // As if it had answered at the last moment: behind the store's time, never ahead of it, for
        // what is ahead sends messages early.
        best = Duration.between(after, there);
      }
    }
    offset = best;
    if (offset.abs().compareTo(WORTH_A_WARNING) > 0) {
      LOG.warn(
          "This machine's clock is {} ms off the database's; due times follow the database",
          -offset.toMillis());
    }
  }

  private void measureAgain() {
    try {
      measure();
    } catch (StoreException e) {
      LOG.debug("The offset of the clock stays as it was", e);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
