// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as text, in YAML and in names: {@code 10ms}, {@code 15s}, {@code 31d}. */
public final class DurationText {
  /** The allowed forms of a duration, for an error message. */
  public static final String FORM = "10ms, 15s, 30m, 2h, 31d or ISO-8601 (PT30M)";

  private static final Pattern SIMPLE = Pattern.compile("(-?\\d+)(ms|s|m|h|d)");
  private static final Duration MAX_SIMPLE = Duration.ofDays(1_000_000);

  private DurationText() {}

  /**
   * Reads {@code 10ms}, {@code 15s}, {@code 30m}, {@code 2h}, {@code 31d} or ISO-8601 ({@code
   * PT30M}).
   *
   * @throws IllegalArgumentException if the text is neither, or the duration is too long
   */
  public static Duration parse(String text) {
    Matcher simple = SIMPLE.matcher(text);
    try {
      if (!simple.matches()) {
        return Duration.parse(text);
      }
      long count = Long.parseLong(simple.group(1));
      return switch (simple.group(2)) {
        case "ms" -> Duration.ofMillis(count);
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
    } catch (ArithmeticException | NumberFormatException e) {
      throw tooLong(text, e);
    } catch (DateTimeParseException e) {
      throw e.getCause() != null
          ? tooLong(text, e)
          : new IllegalArgumentException("'" + text + "' is not a duration; write " + FORM, e);
    }
  }

  private static IllegalArgumentException tooLong(String text, Exception e) {
    return new IllegalArgumentException(
        "'" + text + "' is too long: nothing can be due after the year 9999", e);
  }

  /**
   * The shortest form in one unit that is exact to the millisecond, with anything finer cut off;
   * beyond a million days ISO-8601. {@link #parse} reads both.
   */
  public static String format(Duration duration) {
    if (duration.compareTo(MAX_SIMPLE) > 0 || duration.compareTo(MAX_SIMPLE.negated()) < 0) {
      return duration.toString();
    }
    long millis = duration.toMillis();
    if (millis == 0 || millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    if (seconds % 60 != 0) {
      return seconds + "s";
    }
    if (seconds % 3_600 != 0) {
      return seconds / 60 + "m";
    }
    return seconds % 86_400 != 0 ? seconds / 3_600 + "h" : seconds / 86_400 + "d";
  }
}
