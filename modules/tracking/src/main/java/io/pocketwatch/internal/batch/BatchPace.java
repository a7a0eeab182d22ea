// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import java.time.Duration;

/**
 * When the next batch may begin. The first after a quiet time begins at once. A transaction costs
 * the database and us about as much with five rows as with one, so batches keep apart. The more a
 * batch has cost, the longer the pause after it, so that a slow machine is not filled by small
 * batches. Not thread-safe; times are those of one {@link System#nanoTime}.
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
   * @param apart how far apart batches begin at least
   */
  BatchPace(Duration apart, long now) {
    this.apart = apart.toNanos();
    this.next = now;
  }

  /** For how many nanoseconds a batch has yet to wait; 0 or less if it may begin. */
  long left(long now) {
    return hurried ? 0 : next - now;
  }

  /** Somebody waits, so the next batch begins at once. */
  void hurry() {
    hurried = true;
  }

  /** Others do not begin one at the same time. */
  void begun(long now) {
    hurried = false;
    waitUntil(now + apart);
  }

  /**
   * @param rows how many the batch had. After one alone a long pause would gather nothing. Who
   *     waits for each answer would wait for it, too.
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
