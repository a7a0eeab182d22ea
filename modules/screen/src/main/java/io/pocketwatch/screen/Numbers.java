// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them, the same in every locale. */
public final class Numbers {
  private Numbers() {}

  /** 1,234. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** 1 message, 1,234 messages. */
  public static String of(long number, String thing) {
    return count(number) + " " + thing + (number == 1 ? "" : "s");
  }

  /** Roughly how long: {@code 59 s}, {@code 3 h}, {@code 2 d}. */
  public static String rough(Duration length) {
    if (length.toDays() >= 2) {
      return length.toDays() + " d";
    }
    if (length.toHours() >= 2) {
      return length.toHours() + " h";
    }
    return length.toMinutes() >= 2 ? length.toMinutes() + " min" : length.toSeconds() + " s";
  }

  /** 7.1 s. */
  public static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
  }
}
