// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.time.Duration;

/** Pauses between attempts; each is twice as long as the one before it. */
final class Backoff {
  static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private Backoff() {}

  /** The pause after that one. */
  static Duration longer(Duration pause) {
    return longer(pause, LONGEST);
  }

  /** Twice as long, at most so long. */
  static Duration longer(Duration pause, Duration longest) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(longest) < 0 ? twice : longest;
  }
}
