// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.config.LoaderOptions;
import java.time.Duration;
import java.time.Instant;

/** How long a message waits before it is tried again, and when it is given up. */
final class RetryPauses {
  private static final Duration FIRST = Duration.ofSeconds(30);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int MOST_DOUBLINGS = 10;

  private RetryPauses() {}

  /** Growing with each attempt, from the sweep (or 30 s) to 5 min, or the sweep if that is more. */
  static Duration pause(LoaderOptions options, int attempts) {
    Duration sweep = options.sweep();
    Duration first = sweep.compareTo(FIRST) < 0 ? sweep : FIRST;
    Duration longest = sweep.compareTo(LONGEST) > 0 ? sweep : LONGEST;
    Duration grown = first.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    return grown.compareTo(longest) < 0 ? grown : longest;
  }

  /**
   * Whether a due message has waited too long for its target: both since it was due, and since its
   * first failure. So a message that is late by itself, after an outage, is not given up at once.
   */
  static boolean over(LoaderOptions options, int attempts, Instant deliverAt, Instant now) {
    Duration patience = options.targetPatience();
    Duration waited = Duration.ZERO;
    for (int i = 0; i < attempts && waited.compareTo(patience) < 0; i++) {
      waited = waited.plus(pause(options, i));
    }
    return waited.compareTo(patience) >= 0 && now.isAfter(deliverAt.plus(patience));
  }
}
