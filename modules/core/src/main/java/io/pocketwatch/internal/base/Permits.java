// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A semaphore for waits that end, and for those who must not wait. */
public final class Permits extends Semaphore {
  private static final long serialVersionUID = 1L;

  public Permits(int count) {
    super(count);
  }

  /** Waits for them; false if there were none in time, or if interrupted, which stays set. */
  public boolean take(int count, Duration patience) {
    try {
      return tryAcquire(count, patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Takes what is not there. */
  public void forceTake(int count) {
    reducePermits(count);
  }
}
