// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page knows the server's reasons by their sentences, so each has to be one that it writes. */
class ReasonWordsTest {
  private static final Path MAIN = Path.of("src", "main");
  private static final String OF_THE_BROKER = "312 NO_ROUTE";

  @Test
  void each_reason_that_the_page_words_is_one_that_the_server_writes() throws IOException {
    List<String> sentences = sentences();
    List<Pattern> usual = usual();

    assertThat(usual).hasSizeGreaterThan(5);
    assertThat(usual)
        .allSatisfy(
            pattern ->
                assertThat(sentences)
                    .as("%s", pattern)
                    .anyMatch(each -> pattern.matcher(each).matches()));
  }

  private static List<Pattern> usual() throws IOException {
    String script =
        Files.readString(
            MAIN.resolve(
                Path.of("resources", "io", "pocketwatch", "server", "console", "js", "reason.js")));
    return Pattern.compile("(?m)^  \\[/\\^(.*)\\$/s?, '")
        .matcher(script)
        .results()
        .map(found -> Pattern.compile(found.group(1), Pattern.DOTALL))
        .toList();
  }

  /** The literals of dead letters and of callbacks, with something in their places. */
  private static List<String> sentences() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (String room : List.of("deadletter", "callback")) {
      try (Stream<Path> files =
          Files.list(MAIN.resolve(Path.of("java", "io", "pocketwatch", "server", room)))) {
        for (Path file : files.toList()) {
          sources.append(Files.readString(file));
        }
      }
    }
    Stream<String> literals =
        Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"(\\s*\\+\\s*\\w)?")
            .matcher(sources)
            .results()
            .map(found -> found.group(1) + (found.group(2) == null ? "" : "%s"));
    return Stream.concat(Stream.of(OF_THE_BROKER), literals)
        .map(each -> each.replace("%s", "4"))
        .toList();
  }
}
