// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;

/** Checks of ranges, with one wording for all options. */
public final class Ranges {
  private Ranges() {}

  /**
   * @param what the option and its value, for example {@code channels 65}
   * @throws IllegalArgumentException naming the value and the range, unless it is in range
   */
  public static void require(boolean inRange, String what, String allowed) {
    if (!inRange) {
      throw new IllegalArgumentException(what + " is out of range; allowed: " + allowed);
    }
  }

  public static int within(String key, int value, int least, int most) {
    require(value >= least && value <= most, key + " " + value, least + " to " + most);
    return value;
  }

  public static Duration within(String key, Duration value, String least, String most) {
    boolean inRange =
        value.compareTo(DurationText.parse(least)) >= 0
            && value.compareTo(DurationText.parse(most)) <= 0;
    boolean exact = value.toNanosPart() % 1_000_000 == 0;
    String text = exact ? DurationText.format(value) : value.toString();
    require(inRange, key + " " + text, least + " to " + most);
    return value;
  }
}
