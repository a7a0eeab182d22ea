// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.schedule.Schedules;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.FileSystemResource;

/**
 * One configuration, two ways in: what {@code ./pocketwatch check} says of a file, and what an
 * application says at its start that has the same text as its {@code application.yml}. The cases
 * are in {@code same-answers.txt}, and the answers of both in {@code target/same-answers.md}.
 */
class SameAnswersTest {
  private static final Pattern ORIGIN = Pattern.compile("; set by .* - (\\d+):\\d+$");
  private static final Pattern BOOTS_LINE = Pattern.compile("line (\\d+), column");

  @TempDir private Path folder;

  /**
   * A case.
   *
   * @param title what is wrong
   * @param store whether there is a store
   * @param yaml the text
   * @param file what is said of it as a file: line, key and sentence of each fault
   * @param application what is said of it as properties
   */
  record Mistake(
      String title, boolean store, String yaml, List<String> file, List<String> application) {
    @Override
    public String toString() {
      return title;
    }
  }

  /**
   * As in the resource. {@code = KEY: VALUE -> REST} is a configuration with that key, of which is
   * said {@code KEY REST} in its line. {@code ## TITLE} has the text below it, and what is said
   * behind {@code >>}: {@code f} or {@code a} says of which way in, if not of both.
   */
  static List<Mistake> mistakes() throws IOException {
    try (InputStream text =
        Objects.requireNonNull(SameAnswersTest.class.getResourceAsStream("same-answers.txt"))) {
      List<Mistake> all = new ArrayList<>();
      List<String> lines = new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        if (line.startsWith("= ")) {
          all.add(ofKey(line.substring(2)));
        } else if (line.startsWith("## ")) {
          int end = i + 1;
          while (end < lines.size() && !lines.get(end).matches("(=|##) .*")) {
            end++;
          }
          all.add(ofText(line.substring(3), lines.subList(i + 1, end)));
        }
      }
      return all;
    }
  }

  private static Mistake ofKey(String line) {
    String[] parts = line.split(" -> ", 2);
    String key = parts[0].replaceFirst(":( .*)?$", "");
    String[] path = key.split("[.]");
    StringBuilder yaml = new StringBuilder("pocketwatch:\n");
    for (int i = 0; i < path.length - 1; i++) {
      yaml.append("  ".repeat(i + 1)).append(path[i]).append(":\n");
    }
    if (key.matches("routes[.]r[.].+") && !key.endsWith(".exchange")) {
      yaml.append("      exchange: x\n");
    }
    yaml.append("  ".repeat(path.length)).append(path[path.length - 1]);
    yaml.append(parts[0].substring(key.length())).append('\n');
    String said =
        yaml.toString().lines().count()
            + " pocketwatch."
            + key
            + (parts.length > 1 ? parts[1] : "");
    return new Mistake(parts[0], true, yaml.toString(), List.of(said), List.of(said));
  }

  private static Mistake ofText(String title, List<String> lines) {
    List<String> file = new ArrayList<>();
    List<String> application = new ArrayList<>();
    StringBuilder yaml = new StringBuilder();
    for (String line : lines) {
      if (!line.startsWith(">>")) {
        yaml.append(line).append('\n');
        continue;
      }
      String said = line.substring(line.indexOf(' ') + 1);
      if (!line.startsWith(">>a")) {
        file.add(said);
      }
      if (!line.startsWith(">>f")) {
        application.add(said);
      }
    }
    return new Mistake(
        title, !title.contains("without a store"), yaml.toString(), file, application);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void is_told_alike(Mistake mistake) throws IOException {
    assertThat(asFile(mistake)).as("file").containsExactlyInAnyOrderElementsOf(mistake.file());
    assertThat(asApplication(mistake))
        .as("application.yml")
        .containsExactlyInAnyOrderElementsOf(mistake.application());
  }

  @Test
  void both_answers_are_written_down() throws IOException {
    List<Mistake> mistakes = mistakes();
    StringBuilder table = new StringBuilder("| Case | File | application.yml |\n|---|---|---|\n");
    for (Mistake each : mistakes) {
      table.append(
          "| %s | %s | %s |\n"
              .formatted(
                  each.title().replace("|", "\\|"),
                  places(asFile(each)),
                  places(asApplication(each))));
    }
    Files.writeString(Path.of("target", "same-answers.md"), table);

    assertThat(mistakes).hasSizeGreaterThan(99);
    assertThat(mistakes.stream().filter(each -> each.file().equals(each.application())))
        .as("answers that are the same, line, key and sentence")
        .hasSizeGreaterThan(90);
  }

  private static String places(List<String> said) {
    return said.isEmpty()
        ? "taken"
        : String.join(
            "<br>",
            said.stream()
                .map(each -> each.replaceFirst("^(\\d+) (.*?)(?:: .*|$)", "$1: `$2`"))
                .toList());
  }

  /** As {@code check} reads it. */
  private List<String> asFile(Mistake mistake) throws IOException {
    Path file = Files.writeString(folder.resolve("pocketwatch.yml"), mistake.yaml());
    return refusals(
            () ->
                DelayRoutes.load(
                    file,
                    (routes, top) -> {
                      if (!mistake.store()) {
                        routes.refuseTracked(top);
                      }
                      top.read("schedules", section -> Schedules.read(section, routes));
                      return routes;
                    }))
        .map(line -> line.substring(file.toString().length()))
        .map(line -> line.matches("(?s):\\d+: .*") ? line.substring(1) : "0" + line)
        .map(line -> line.replaceFirst(": ", " "))
        .toList();
  }

  private List<String> asApplication(Mistake mistake) throws IOException {
    Path file = Files.writeString(folder.resolve("application.yml"), mistake.yaml());
    StandardEnvironment environment = new StandardEnvironment();
    try {
      new YamlPropertySourceLoader()
          .load("application", new FileSystemResource(file))
          .forEach(environment.getPropertySources()::addLast);
    } catch (RuntimeException e) {
      return List.of(lastLine(e) + " Spring Boot refuses it itself");
    }
    return refusals(() -> CheckedProperties.of(environment, mistake.store()))
        .map(line -> line.substring("application properties: ".length()))
        .map(SameAnswersTest::lineFirst)
        .toList();
  }

  private static String lineFirst(String said) {
    Matcher origin = ORIGIN.matcher(said);
    return origin.find() ? origin.group(1) + " " + origin.replaceFirst("") : "0 " + said;
  }

  private static String lastLine(RuntimeException boots) {
    List<String> lines =
        BOOTS_LINE.matcher(boots.toString()).results().map(line -> line.group(1)).toList();
    return lines.isEmpty() ? "0" : lines.get(lines.size() - 1);
  }

  private static Stream<String> refusals(Runnable reading) {
    try {
      reading.run();
      return Stream.of();
    } catch (InvalidConfigurationException e) {
      return e.getMessage().lines();
    }
  }
}
