// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.time.Instant;

/** Instants as the columns keep them. */
final class Millis {
  private Millis() {}

  /** The first whole millisecond not before the instant: "before" and "from" then stay exact. */
  static long ceiling(Instant instant) {
    long millis = floor(instant);
    return instant.getNano() % 1_000_000 == 0 || millis == Long.MAX_VALUE ? millis : millis + 1;
  }

  /** Instants beyond the range of milliseconds, such as {@link Instant#MAX}, mean "no bound". */
  static long floor(Instant instant) {
    try {
      return instant.toEpochMilli();
    } catch (ArithmeticException e) {
      return instant.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }
}
