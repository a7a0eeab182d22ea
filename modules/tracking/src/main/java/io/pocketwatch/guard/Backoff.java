// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.time.Duration;

/** Pauses between attempts; each is twice as long as the one before it. */
final class Backoff {
  static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private Backoff() {}

  /** The pause that follows this one. */
  static Duration longer(Duration pause) {
    return longer(pause, LONGEST);
  }

  /** A pause twice as long, up to the longest. */
  static Duration longer(Duration pause, Duration longest) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(longest) < 0 ? twice : longest;
  }
}
