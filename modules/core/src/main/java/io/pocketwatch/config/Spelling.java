// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known word that a misspelt one may stand for. */
final class Spelling {
  /** A third of the letters may be wrong. */
  private static final int LETTERS_PER_SLIP = 3;

  private Spelling() {}

  /** Catches the usual slips: maxDelay, max_delay, delay for delays, dealys. */
  static Optional<String> nearest(String written, Collection<String> known) {
    String word = letters(written);
    return word.length() < LETTERS_PER_SLIP
        ? Optional.empty()
        : known.stream()
            .filter(each -> letters(each).startsWith(word) || word.startsWith(letters(each)))
            .min(Comparator.comparingInt(String::length))
            .or(() -> byDistance(word, known));
  }

  private static Optional<String> byDistance(String word, Collection<String> known) {
    return known.stream()
        .filter(each -> LETTERS_PER_SLIP * distance(word, letters(each)) <= word.length())
        .min(Comparator.comparingInt(each -> distance(word, letters(each))));
  }

  private static String letters(String word) {
    return word.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
  }

  /** The number of letters that are missing, too many, wrong, or swapped with the next. */
  private static int distance(String one, String other) {
    int[][] of = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        of[i][j] = i == 0 || j == 0 ? i + j : step(of, one, other, i, j);
      }
    }
    return of[one.length()][other.length()];
  }

  private static int step(int[][] of, String one, String other, int i, int j) {
    int wrong = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
    int least = Math.min(of[i - 1][j - 1] + wrong, Math.min(of[i - 1][j], of[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1);
    return swapped ? Math.min(least, of[i - 2][j - 2] + 1) : least;
  }
}
