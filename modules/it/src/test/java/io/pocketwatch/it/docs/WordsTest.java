// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One word for each thing: those that CONTRIBUTING names as not to be used are used nowhere. */
class WordsTest {
  private static final Path CONTRIBUTING = Path.of(".github", "CONTRIBUTING.md");
  private static final Path CHANGELOG = Path.of("modules", "docs", "changelog.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| [^|]+ \\| [^|]+ \\|([^|]*)\\|$");
  private static final Pattern CAMEL_CASE =
      Pattern.compile("@(?:Test|ParameterizedTest)\\s+(?:protected )?void ([a-z0-9]+[A-Z]\\w*)\\(");

  private static final Pattern WORD = Pattern.compile("`([^`]+)`");

  @Test
  void nobody_uses_another_word() throws IOException {
    List<String> words = notToBeUsed();
    assertThat(words).contains("re-release", "told(").hasSizeGreaterThan(8);
    for (Path file : Stream.concat(pages(), javaFiles("/src/main/").stream()).toList()) {
      String text = Pages.text(file).toLowerCase(Locale.ROOT);
      assertThat(words)
          .as("%s: CONTRIBUTING, Words, says what to use instead", file)
          .noneMatch(word -> uses(text, word.toLowerCase(Locale.ROOT)));
    }
  }

  @Test
  void it_finds_words_and_not_parts_of_words() {
    assertThat(uses("void told(that)", "told(")).isTrue();
    assertThat(uses("foretold(that)", "told(")).isFalse();
    assertThat(uses("a revoked key", "revoke")).isFalse();
  }

  @Test
  void tests_are_named_in_words() throws IOException {
    List<String> others = new ArrayList<>();
    for (Path file : javaFiles("/src/test/")) {
      CAMEL_CASE.matcher(Pages.text(file)).results().forEach(test -> others.add(test.group(1)));
    }
    assertThat(others).as("what_comes_of_it instead").isEmpty();
  }

  private static boolean uses(String text, String word) {
    String end = Character.isLetter(word.charAt(word.length() - 1)) ? "\\b" : "";
    return Pattern.compile("\\b" + Pattern.quote(word) + end).matcher(text).find();
  }

  private static List<String> notToBeUsed() throws IOException {
    String section = Pages.text(CONTRIBUTING).split("\n## Words\n")[1].split("\n## ")[0];
    return ROW.matcher(section)
        .results()
        .flatMap(row -> WORD.matcher(row.group(1)).results())
        .map((MatchResult word) -> word.group(1))
        .toList();
  }

  private static Stream<Path> pages() throws IOException {
    return Pages.all().stream()
        .filter(page -> !page.equals(CONTRIBUTING) && !page.equals(CHANGELOG));
  }

  private static List<Path> javaFiles(String folder) throws IOException {
    try (Stream<Path> all = Files.walk(Pages.ROOT.resolve("modules"))) {
      return all.filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.toString().replace('\\', '/').contains(folder))
          .map(Pages.ROOT::relativize)
          .toList();
    }
  }
}
