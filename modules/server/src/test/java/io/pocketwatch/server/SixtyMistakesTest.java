// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people write, and what {@code check} says of it, without a broker or a database. */
class SixtyMistakesTest {
  private static final String SAID = ">> ";

  @TempDir private Path folder;

  /** As in the resource: a title, the file, and what is said of it behind its name. */
  static Stream<Arguments> mistakes() throws IOException {
    try (InputStream text =
        Objects.requireNonNull(SixtyMistakesTest.class.getResourceAsStream("mistakes.txt"))) {
      String all = new String(text.readAllBytes(), StandardCharsets.UTF_8);
      return Stream.of(all.split("(?m)^## ")).skip(1).map(SixtyMistakesTest::mistake);
    }
  }

  private static Arguments mistake(String part) {
    String title = part.lines().findFirst().orElseThrow();
    Predicate<String> isSaid = line -> line.startsWith(SAID);
    List<String> yaml = part.lines().skip(1).filter(isSaid.negate()).toList();
    List<String> said =
        part.lines().filter(isSaid).map(line -> line.substring(SAID.length())).toList();
    return Arguments.of(title, String.join("\n", yaml) + "\n", said);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void is_told_with_its_line(String title, String yaml, List<String> said) throws IOException {
    Path file = Files.writeString(folder.resolve("pocketwatch.yml"), yaml);

    CommandRun run = CommandRun.of("check", "--config", file.toString());

    assertThat(run.err())
        .containsExactlyElementsOf(said.stream().map(line -> file + line).toList());
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void there_are_sixty() throws IOException {
    assertThat(mistakes()).hasSizeGreaterThanOrEqualTo(60);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pocketwatch: {}",
        "pocketwatch:\r\n  loader:\r\n    at: 00:00\r\n",
        "\ufeffpocketwatch: { server: { api: yes } }",
        "pocketwatch: { routes: { r: { exchange: x, tracking: none, insert-limit: 1 } } }",
        "pocketwatch: { routes: { r: { exchange: x, tracking: full } } }",
        "pocketwatch: { server: { credentials: { a: { role: read, token: 'env:NOT_HERE' } } } }"
      })
  void what_is_right_is_no_mistake(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("pocketwatch.yml"), yaml);

    CommandRun run =
        CommandRun.of("check", "--config", file.toString(), "--no-secrets", "--own-store");

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).singleElement().asString().startsWith(file + ": nothing is wrong");
    assertThat(run.exitCode()).isZero();
  }
}
