// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's clock, read on this machine: the store's last answer, plus the time that has passed
 * since. The store is asked at the start and once a minute. This machine's own clock, which may be
 * set at any moment, only decides when to ask again.
 */
public final class StoreClock implements InstantSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreClock.class);

  /** How often to measure at the start: a process's first call is slow, and so least exact. */
  private static final int MEASUREMENTS = 5;

  private static final Duration WORTH_A_WARNING = Duration.ofSeconds(1);

  /** A larger jump in a minute means that the clock was set: no clock drifts so much. */
  private static final Duration STEP = Duration.ofSeconds(1);

  /**
   * A measurement.
   *
   * @param nanos when, in time that cannot be set
   * @param local when, by this machine's clock
   * @param offset the store's time minus this machine's
   */
  private record Measured(long nanos, Instant local, Duration offset) {
    Instant now(long nanosNow) {
      return local.plusNanos(nanosNow - nanos).plus(offset);
    }

    boolean stepped(long nanosNow, Instant localNow) {
      Duration gained = Duration.between(local.plusNanos(nanosNow - nanos), localNow);
      return gained.abs().compareTo(STEP) > 0;
    }
  }

  private final InstantSource store;
  private final InstantSource local;
  private final LongSupplier nanos;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("pocketwatch-clock"));

  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile Measured measured;

  public StoreClock(InstantSource store, InstantSource local) {
    this(store, local, System::nanoTime);
  }

  public StoreClock(InstantSource store, InstantSource local, LongSupplier nanos) {
    this.store = store;
    this.local = local;
    this.nanos = nanos;
    this.measured = new Measured(nanos.getAsLong(), local.instant(), Duration.ZERO);
  }

  /**
   * @throws StoreException if the store does not answer now
   */
  public void start() {
    measure();
    timer.scheduleWithFixedDelay(this::measureAgain, 1, 1, TimeUnit.MINUTES);
  }

  @Override
  public Instant instant() {
    long nanosNow = nanos.getAsLong();
    Instant localNow = local.instant();
    Measured last = measured;
    if (last.stepped(nanosNow, localNow) && measuring.compareAndSet(false, true)) {
      measureSoon();
    }
    return last.now(nanosNow);
  }

  private void measureSoon() {
    try {
      timer.execute(this::measureAgain);
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed: measured no more", e);
    }
  }

  private void measure() {
    long shortest = Long.MAX_VALUE;
    Measured best = measured;
    for (int i = 0; i < MEASUREMENTS; i++) {
      long before = nanos.getAsLong();
      Instant there = store.instant();
      long after = nanos.getAsLong();
      Instant here = local.instant();
      if (after - before < shortest) {
        shortest = after - before;
        // As if the store had answered at the last moment: this clock may be behind the store's,
        // never ahead, since that would send messages early.
        best = new Measured(after, here, Duration.between(here, there));
      }
    }
    measured = best;
    if (best.offset().abs().compareTo(WORTH_A_WARNING) > 0) {
      LOG.warn(
          "This machine's clock is {} ms off the database's; due times follow the database",
          -best.offset().toMillis());
    }
  }

  private void measureAgain() {
    try {
      measure();
    } catch (StoreException e) {
      LOG.debug("The offset of the clock stays as it was", e);
    } catch (RuntimeException | Error e) { // it would end the timer without a word
      LOG.warn("The offset of the clock stays as it was", e);
    } finally {
      measuring.set(false);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
