// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The account of one trial: what was asked, confirmed, and arrived, and how late. A lane may serve
 * several trials one after the other; what still arrives of an earlier one is not counted. Every
 * method may be called by any thread; those of the hot path neither lock nor allocate much.
 */
public final class Ledger {
  private volatile Page page = new Page(0, 0);

  /** Begins the account of another trial; its messages get the numbers after the last ones. */
  void next(int messages) {
    page = new Page(page.first + page.messages(), messages);
  }

  /** The number of the trial's first message. */
  int first() {
    return page.first;
  }

  /** To be called before the message is asked for. */
  void due(int number, long millis) {
    Page now = page;
    now.dueMillis[number - now.first] = millis;
  }

  /** The first due instant of all, epoch milliseconds. */
  long firstDue() {
    return Arrays.stream(page.dueMillis).min().orElse(0);
  }

  /** The last due instant of all, epoch milliseconds. */
  long lastDue() {
    return Arrays.stream(page.dueMillis).max().orElse(0);
  }

  /** So many more messages are durably taken. */
  public void confirmed(long count) {
    Page now = page;
    now.confirmed.add(count);
    now.lastConfirmedNanos = System.nanoTime();
  }

  /** A message was not taken. The first reason is kept. */
  public void refused(String why) {
    Page now = page;
    now.refusal.compareAndSet(null, why);
    now.refused.increment();
  }

  /** The message has reached its consumer, now. */
  public void arrived(int number) {
    page.arrived(number, nowMicros());
  }

  public long confirmed() {
    return page.confirmed.sum();
  }

  public long refused() {
    return page.refused.sum();
  }

  public long arrived() {
    return page.arrived.sum();
  }

  /** Arrivals before the instant that was asked for, by the clock of this machine. */
  public long early() {
    return page.early.sum();
  }

  public long worstEarlyMicros() {
    return page.worstEarlyMicros.get();
  }

  /** Arrivals beyond the first of a message. */
  public long repeated() {
    return page.repeated.sum();
  }

  /** Why the first message that was refused was refused. */
  public @Nullable String refusal() {
    return page.refusal.get();
  }

  /** {@link System#nanoTime()} of the last confirmation. */
  long lastConfirmedNanos() {
    return page.lastConfirmedNanos;
  }

  /** Epoch microseconds of the last first arrival. */
  long lastArrivedMicros() {
    return page.lastArrivedMicros;
  }

  /** Lateness so far in microseconds; early arrivals count as 0. */
  public Histogram lateness() {
    return page.latenessMicros.copy();
  }

  /** The system clock in microseconds. */
  private static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private static final class Page {
    /** Longer than any trial; a lateness beyond it would be a broken clock. */
    private static final long MOST_MICROS = 3_600_000_000L;

    final int first;
    final long[] dueMillis;
    final AtomicIntegerArray arrivals;
    final ConcurrentHistogram latenessMicros = new ConcurrentHistogram(MOST_MICROS, 3);
    final LongAdder confirmed = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder arrived = new LongAdder();
    final LongAdder early = new LongAdder();
    final LongAdder repeated = new LongAdder();
    final AtomicLong worstEarlyMicros = new AtomicLong();
    final AtomicReference<@Nullable String> refusal = new AtomicReference<>();
    volatile long lastConfirmedNanos;
    volatile long lastArrivedMicros;

    Page(int first, int messages) {
      this.first = first;
      dueMillis = new long[messages];
      arrivals = new AtomicIntegerArray(messages);
    }

    int messages() {
      return dueMillis.length;
    }

    void arrived(int number, long nowMicros) {
      int index = number - first;
      if (index < 0) {
        return; // of an earlier trial
      }
      if (arrivals.getAndIncrement(index) > 0) {
        repeated.increment();
        return;
      }
      long lateness = nowMicros - dueMillis[index] * 1_000;
      if (lateness < 0) {
        early.increment();
        worstEarlyMicros.accumulateAndGet(-lateness, Math::max);
      }
      latenessMicros.recordValue(Math.min(Math.max(lateness, 0), MOST_MICROS));
      lastArrivedMicros = nowMicros;
      arrived.increment();
    }
  }
}
