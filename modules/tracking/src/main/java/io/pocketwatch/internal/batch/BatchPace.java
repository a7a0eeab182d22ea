// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import java.time.Duration;

/**
 * Decides when the next batch may begin: at once after a quiet time. A transaction costs about as
 * much with five rows as with one, so batches keep apart. The longer a batch took, the longer the
 * pause after it, so that small batches do not fill a slow machine. Not thread-safe; times are
 * those of {@link System#nanoTime}.
 */
final class BatchPace {
  /** The pause after a batch, as a multiple of what the batch took. */
  private static final int TIMES_TOOK = 2;

  /** A large batch takes long on a quick machine, too: 25 ms doubled the p99 at 3,000/s. */
  private static final long LONGEST = Duration.ofMillis(10).toNanos();

  private final long apart;
  private long next;
  private boolean hurried;

  /**
   * @param apart the least time between the beginnings of batches
   */
  BatchPace(Duration apart, long now) {
    this.apart = apart.toNanos();
    this.next = now;
  }

  /** The nanoseconds until the next batch may begin; 0 or less if it may begin now. */
  long left(long now) {
    return hurried ? 0 : next - now;
  }

  /** Lets the next batch begin at once, since it is waited for. */
  void hurry() {
    hurried = true;
  }

  /** Notes the beginning of a batch, so that no other begins at the same time. */
  void begun(long now) {
    hurried = false;
    waitUntil(now + apart);
  }

  /**
   * @param rows the rows of the batch. After a single row a long pause would gather nothing, and a
   *     caller that waits for each answer would wait for it, too.
   */
  void ended(int rows, long begun, long now) {
    long pause = rows > 1 ? Math.min(LONGEST, TIMES_TOOK * (now - begun)) : 0;
    waitUntil(now + Math.max(apart, pause));
  }

  private void waitUntil(long time) {
    if (time - next > 0) {
      next = time;
    }
  }
}
