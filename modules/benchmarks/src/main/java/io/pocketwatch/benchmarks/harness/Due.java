// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.SplittableRandom;

/** When the messages of a round are due. */
@FunctionalInterface
public interface Due {

  /**
   * @param startMillis when the round began, epoch milliseconds
   * @param nowMillis when this message is asked for
   * @return the due instant of one message, epoch milliseconds
   */
  long millis(SplittableRandom random, long startMillis, long nowMillis);

  /** A random delay from the moment of asking, to the millisecond. */
  static Due within(Duration least, Duration most) {
    long from = least.toMillis();
    long to = most.toMillis() + 1;
    return (random, start, now) -> now + random.nextLong(from, to);
  }

  /** At random instants of a window that opens so long after the round began. */
  static Due burst(Duration after, Duration window) {
    long width = Math.max(1, window.toMillis());
    return (random, start, now) -> start + after.toMillis() + random.nextLong(width);
  }

  /** Always the same delay. */
  static Due after(Duration delay) {
    return (random, start, now) -> now + delay.toMillis();
  }
}
