// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.util.Locale;

/**
 * Texts of others for a terminal. Characters that would move its cursor, change its colours or the
 * order of what is read are shown as JSON would write them: {@code \}{@code u001b}. So they are
 * seen and do nothing.
 */
public final class Visible {
  private static final String CUT = "…";

  private Visible() {}

  /** In one line. */
  public static String word(String text) {
    return escape(text, "");
  }

  /** With the line breaks it has. */
  static String lines(String text) {
    return escape(text, "\n\t");
  }

  /**
   * In one line of at most so many characters; the middle is cut out, as ids differ at their ends.
   */
  public static String brief(String text, int most) {
    String word = word(text);
    if (word.codePointCount(0, word.length()) <= most) {
      return word;
    }
    int tail = most / 3;
    int head = most - tail - CUT.length();
    return word.substring(0, word.offsetByCodePoints(0, head))
        + CUT
        + word.substring(word.offsetByCodePoints(word.length(), -tail));
  }

  private static String escape(String text, String kept) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            each -> {
              if (kept.indexOf(each) < 0 && isHidden(each)) {
                for (char half : Character.toChars(each)) {
                  escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) half));
                }
              } else {
                escaped.appendCodePoint(each);
              }
            });
    return escaped.toString();
  }

  private static boolean isHidden(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
