// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.Semaphore;

/** A semaphore with timed waits, and for callers that must not wait. */
public final class Permits extends Semaphore {
  private static final long serialVersionUID = 1L;

  private final transient Scheduler scheduler;

  public Permits(int count) {
    this(count, Scheduler.SYSTEM);
  }

  Permits(int count, Scheduler scheduler) {
    super(count);
    this.scheduler = scheduler;
  }

  /** Waits for permits; false if there were none in time, or if interrupted, which stays set. */
  public boolean take(int count, Duration patience) {
    try {
      return scheduler.acquire(this, count, patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Takes permits beyond those there are. */
  public void forceTake(int count) {
    reducePermits(count);
  }
}
