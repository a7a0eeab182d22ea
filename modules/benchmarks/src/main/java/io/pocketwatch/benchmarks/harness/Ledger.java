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
 * The account of one round: what was asked, confirmed, and arrived, and how late. Every method may
 * be called by any thread; those of the hot path neither lock nor allocate much.
 */
public final class Ledger {
  /** Longer than any round; a lateness beyond it would be a broken clock. */
  private static final long MOST_MICROS = 3_600_000_000L;

  private final int messages;
  private final long[] dueMillis;
  private final AtomicIntegerArray arrivals;
  private final ConcurrentHistogram latenessMicros = new ConcurrentHistogram(MOST_MICROS, 3);
  private final LongAdder confirmed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder arrived = new LongAdder();
  private final LongAdder early = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final AtomicLong worstEarlyMicros = new AtomicLong();
  private final AtomicReference<@Nullable String> refusal = new AtomicReference<>();
  private volatile long lastConfirmedNanos;
  private volatile long lastArrivedMicros;

  /** A ledger for messages numbered from 0. */
  public Ledger(int messages) {
    this.messages = messages;
    this.dueMillis = new long[messages];
    this.arrivals = new AtomicIntegerArray(messages);
  }

  /** To be called before the message is asked for. */
  void due(int number, long millis) {
    dueMillis[number] = millis;
  }

  /** The first due instant of all, epoch milliseconds. */
  long firstDue() {
    return Arrays.stream(dueMillis).min().orElse(0);
  }

  /** The last due instant of all, epoch milliseconds. */
  long lastDue() {
    return Arrays.stream(dueMillis).max().orElse(0);
  }

  /** So many more messages are durably taken. */
  public void confirmed(long count) {
    confirmed.add(count);
    lastConfirmedNanos = System.nanoTime();
  }

  /** A message was not taken. The first reason is kept. */
  public void refused(String why) {
    refusal.compareAndSet(null, why);
    refused.increment();
  }

  /** The message has reached its consumer, now. */
  public void arrived(int number) {
    long now = nowMicros();
    if (arrivals.getAndIncrement(number) > 0) {
      repeated.increment();
      return;
    }
    long lateness = now - dueMillis[number] * 1_000;
    if (lateness < 0) {
      early.increment();
      worstEarlyMicros.accumulateAndGet(-lateness, Math::max);
    }
    latenessMicros.recordValue(Math.min(Math.max(lateness, 0), MOST_MICROS));
    lastArrivedMicros = now;
    arrived.increment();
  }

  public int messages() {
    return messages;
  }

  public long confirmed() {
    return confirmed.sum();
  }

  public long refused() {
    return refused.sum();
  }

  public long arrived() {
    return arrived.sum();
  }

  /** Arrivals before the instant that was asked for, by the clock of this machine. */
  public long early() {
    return early.sum();
  }

  public long worstEarlyMicros() {
    return worstEarlyMicros.get();
  }

  /** Arrivals beyond the first of a message. */
  public long repeated() {
    return repeated.sum();
  }

  /** Why the first message that was refused was refused. */
  public @Nullable String refusal() {
    return refusal.get();
  }

  /** {@link System#nanoTime()} of the last confirmation. */
  long lastConfirmedNanos() {
    return lastConfirmedNanos;
  }

  /** Epoch microseconds of the last first arrival. */
  long lastArrivedMicros() {
    return lastArrivedMicros;
  }

  /** Lateness in microseconds; early arrivals count as 0. */
  public Histogram lateness() {
    return latenessMicros.copy();
  }

  /** The system clock in microseconds. */
  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
