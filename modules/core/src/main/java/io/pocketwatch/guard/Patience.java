// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Pauses between attempts, each longer than the one before, until time is up or nobody waits. */
final class Patience {
  static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** How soon a pause notices that nobody wants its end any more. */
  private static final Duration STEP = Duration.ofMillis(100);

  private final long deadline;
  private final BooleanSupplier wanted;
  private final CountDownLatch closed;
  private Duration next = FIRST;

  /**
   * @param wanted whether there is still a reason to wait
   * @param closed ends every pause
   */
  Patience(Duration length, BooleanSupplier wanted, CountDownLatch closed) {
    this.deadline = System.nanoTime() + length.toNanos();
    this.wanted = wanted;
    this.closed = closed;
  }

  /** The pause after that one. */
  static Duration longer(Duration pause) {
    return longer(pause, LONGEST);
  }

  /** Twice as long, at most so long. */
  static Duration longer(Duration pause, Duration longest) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(longest) < 0 ? twice : longest;
  }

  /** Pauses; false if there is to be no further attempt. */
  boolean pause() {
    long end = Math.min(System.nanoTime() + next.toNanos(), deadline);
    if (end - System.nanoTime() <= 0) {
      return false;
    }
    next = longer(next);
    try {
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        if (closed.await(Math.min(left, STEP.toNanos()), TimeUnit.NANOSECONDS)
            || !wanted.getAsBoolean()) {
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
