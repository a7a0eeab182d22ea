// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import java.util.concurrent.locks.LockSupport;

/**
 * Keeps batches apart: the first after a quiet time goes at once, the next ones wait until 3 ms
 * after it. A transaction costs the database and us about as much with five rows as with one. A
 * thousand messages a second, one by one, take more than two cores. Used by one thread at a time.
 */
public final class MinimumInterval {
  private static final long NANOS_APART = 3_000_000;

  private long next = System.nanoTime();

  /** Waits until the next batch may be taken; for 3 ms at most. */
  public void await() {
    long left = next - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = next - System.nanoTime();
    }
    next = System.nanoTime() + NANOS_APART;
  }
}
