// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;

/**
 * Bounds the bytes that wait at one place of a publisher: a sixteenth of the largest heap, 8 MiB at
 * least. A larger body is let in alone. Thread-safe.
 */
public final class ByteBudget {
  private static final long LEAST = 8L << 20;
  private static final int UNIT = 1024;

  private final int units;
  private final Permits free;

  public ByteBudget() {
    this(Scheduler.SYSTEM);
  }

  ByteBudget(Scheduler scheduler) {
    this(Math.max(LEAST, Runtime.getRuntime().maxMemory() / 16), scheduler);
  }

  ByteBudget(long bytes) {
    this(bytes, Scheduler.SYSTEM);
  }

  private ByteBudget(long bytes, Scheduler scheduler) {
    this.units = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(1, bytes / UNIT));
    this.free = new Permits(units, scheduler);
  }

  /** Waits for room; false if there was none in time, or if interrupted, which stays set. */
  public boolean take(int bytes, Duration patience) {
    return free.take(units(bytes), patience);
  }

  /** Takes room beyond the budget, for callers that must not wait. */
  public void forceTake(int bytes) {
    free.forceTake(units(bytes));
  }

  public void give(int bytes) {
    giveUnits(units(bytes));
  }

  /** Gives back the units of several bodies. */
  public void giveUnits(int units) {
    free.release(units);
  }

  /** The units that a body takes. */
  public int units(int bytes) {
    return Math.min(units, 1 + bytes / UNIT);
  }
}
