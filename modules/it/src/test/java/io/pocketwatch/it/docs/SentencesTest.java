// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sentences that are read once: a ceiling on long ones, to be lowered and never raised. */
class SentencesTest {
  private static final int LONG = 25;
  private static final double CEILING = 0.06;

  private static final Pattern BLANK = Pattern.compile("\\n\\s*\\n|\\n(?=\\s*(?:[-*]|\\d+\\.) )");
  private static final Pattern END = Pattern.compile("(?<=[.!?])\\)?\\s+(?=[\\p{Lu}(\\d]|code)");

  @Test
  @DisplayName("few sentences are long")
  void fewAreLong() throws IOException {
    int all = 0;
    int over = 0;
    StringBuilder report = new StringBuilder();
    for (Path page : Pages.all()) {
      List<Integer> words = sentences(page).map(SentencesTest::words).filter(n -> n > 0).toList();
      long here = words.stream().filter(n -> n > LONG).count();
      all += words.size();
      over += (int) here;
      report.append(
          String.format(
              Locale.ROOT,
              "%5d words, %3d of %3d sentences long: %s%n",
              words(Pages.text(page)),
              here,
              words.size(),
              page));
    }
    System.out.print(report);
    System.out.printf(Locale.ROOT, "%d of %d sentences have over %d words%n", over, all, LONG);
    assertThat((double) over / all).as(report.toString()).isLessThanOrEqualTo(CEILING);
  }

  /** Of running text and lists; a table's cells are no sentences. */
  private static Stream<String> sentences(Path page) throws IOException {
    String prose =
        Pages.withoutCode(page)
            .replaceAll("(?m)^\\s*\\|.*$|^#.*$", "\n")
            .replaceAll("!\\[[^]]*]\\([^)]*\\)", "")
            .replaceAll("`[^`]*`", "code")
            .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
            .replace("**", "");
    return BLANK.splitAsStream(prose).flatMap(END::splitAsStream);
  }

  private static int words(String text) {
    return (int)
        Stream.of(text.split("\\s+")).filter(word -> word.matches(".*[\\p{L}\\p{N}].*")).count();
  }
}
