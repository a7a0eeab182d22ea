// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.screen.Numbers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Formats instants for people. */
public final class TimeText {
  private TimeText() {}

  /** To the second, or to the millisecond where it matters. */
  public static String show(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** Roughly how far from now: {@code in 3 h}, {@code 2 d ago}. */
  public static String relative(Instant instant, Instant now) {
    Duration distance = Duration.between(now, instant);
    String length = Numbers.rough(distance.abs());
    return distance.isNegative() ? length + " ago" : "in " + length;
  }
}
