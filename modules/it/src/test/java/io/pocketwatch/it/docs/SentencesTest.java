// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sentences that are read once: ceilings on long ones, to be lowered and never raised. */
class SentencesTest {
  private static final int LONG = 25;
  private static final double PAGES_CEILING = 0.001;
  private static final double JAVADOC_CEILING = 0.001;

  private static final Pattern BLANK = Pattern.compile("\\n\\s*\\n|\\n(?=\\s*(?:[-*]|\\d+\\.) )");
  private static final Pattern END = Pattern.compile("(?<=[.!?])\\)?\\s+(?=[\\p{Lu}(\\d]|code)");
  private static final Pattern JAVADOC = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");
  private static final Pattern TAG =
      Pattern.compile("</?p>|</?[uo]l>|<li>|@(?:param|throws|return|see)\\s");

  @Test
  @DisplayName("few sentences of the pages are long")
  void few_on_pages() throws IOException {
    StringBuilder report = new StringBuilder();
    int all = 0;
    int over = 0;
    for (Path page : Pages.all()) {
      List<String> sentences = sentences(prose(page)).toList();
      long here = sentences.stream().filter(SentencesTest::isLong).count();
      all += sentences.size();
      over += (int) here;
      report.append(
          String.format(
              Locale.ROOT,
              "%5s words, %3s of %3s sentences long: %s%n",
              words(Pages.text(page)),
              here,
              sentences.size(),
              page));
    }
    System.out.print(report);
    judge("pages", all, over, report, PAGES_CEILING);
  }

  @Test
  @DisplayName("few sentences of the Javadoc are long")
  void few_in_javadoc() throws IOException {
    StringBuilder report = new StringBuilder();
    int all = 0;
    int over = 0;
    for (Path source : sources()) {
      List<String> sentences =
          JAVADOC
              .matcher(Files.readString(source))
              .results()
              .map(SentencesTest::prose)
              .flatMap(SentencesTest::sentences)
              .toList();
      all += sentences.size();
      for (String each : sentences.stream().filter(SentencesTest::isLong).toList()) {
        over++;
        report.append(source.getFileName()).append(": ").append(each).append('\n');
      }
    }
    judge("Javadoc", all, over, report, JAVADOC_CEILING);
  }

  private static void judge(String what, int all, int over, CharSequence report, double ceiling) {
    System.out.printf(
        Locale.ROOT, "%s: %s of %s sentences have over %s words%n", what, over, all, LONG);
    assertThat((double) over / all).as(report.toString()).isLessThanOrEqualTo(ceiling);
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(Pages.ROOT.resolve("modules"))) {
      return files
          .filter(file -> file.toString().matches(".*/src/main/.*\\.java"))
          .sorted()
          .toList();
    }
  }

  /** Running text and lists; a table's cells are no sentences. */
  private static String prose(Path page) throws IOException {
    return Pages.withoutCode(page)
        .replaceAll("(?m)^\\s*\\|.*$|^#.*$", "\n")
        .replaceAll("!\\[[^]]*]\\([^)]*\\)", "")
        .replaceAll("`[^`]*`", "code")
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .replace("**", "");
  }

  private static String prose(MatchResult comment) {
    String text =
        comment
            .group(1)
            .replaceAll("(?m)^\\s*\\*( |$)?", "")
            .replaceAll("(?s)<(pre|table)>.*?</\\1>", "")
            .replaceAll("(?s)\\{@\\w+\\s+(?:[^{}]|\\{[^{}]*})*}", "code");
    return TAG.matcher(text).replaceAll("\n\n");
  }

  private static Stream<String> sentences(String prose) {
    return BLANK
        .splitAsStream(prose)
        .flatMap(END::splitAsStream)
        .map(sentence -> sentence.replaceAll("\\s+", " ").strip())
        .filter(sentence -> words(sentence) > 0);
  }

  private static boolean isLong(String sentence) {
    return words(sentence) > LONG;
  }

  private static int words(String text) {
    return (int)
        Stream.of(text.split("\\s+")).filter(word -> word.matches(".*[\\p{L}\\p{N}].*")).count();
  }
}
