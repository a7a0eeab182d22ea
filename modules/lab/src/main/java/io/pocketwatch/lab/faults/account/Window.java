// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a fault lasted.
 *
 * @param fault its name
 * @param from when it struck
 * @param until when it was put right
 */
public record Window(String fault, Instant from, Instant until) {
  /** What was under way a little before is hit too. */
  private static final Duration BEFORE = Duration.ofSeconds(1);

  /** Queues have no leaders yet. */
  private static final Duration AFTER = Duration.ofSeconds(10);

  boolean covers(long millis) {
    return millis >= from.minus(BEFORE).toEpochMilli()
        && millis <= until.plus(AFTER).toEpochMilli();
  }

  /** Whether anything between these two may feel it. */
  public boolean touches(Instant begin, Instant end) {
    return !end.isBefore(from.minus(BEFORE)) && !begin.isAfter(until.plus(AFTER));
  }
}
