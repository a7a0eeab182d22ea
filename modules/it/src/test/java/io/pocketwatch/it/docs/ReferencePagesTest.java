// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pocketwatch.server.config.ConfigurationFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The reference is what the code says. After a change of a key, command, path or metric run {@code
 * mvn -Pone -pl modules/it verify -Dtest=ReferencePagesTest -Dit.test=none
 * -Dpocketwatch.docs.write=true}, and commit the pages.
 */
class ReferencePagesTest {
  @ParameterizedTest
  @EnumSource
  @DisplayName("a page says what the code says")
  void says_what_the_code_says(ReferencePages reference) throws IOException {
    String text = reference.text();
    if (Boolean.getBoolean("pocketwatch.docs.write")) {
      Files.writeString(reference.page(), text);
    }
    assertThat(Files.readString(reference.page()))
        .as("%s is not what the code says; -Dpocketwatch.docs.write=true writes it", reference)
        .isEqualTo(text);
  }

  @Test
  @DisplayName("every key of the configuration's page is one that is read")
  void every_key_is_read(@TempDir Path folder) throws IOException {
    Pattern line = Pattern.compile("(?m)^(?:## (\\S+)|- (`.*`))$");
    Pattern entry = Pattern.compile("`([a-z0-9-]+: [^`]+)`");
    List<String> tried = new ArrayList<>();
    String section = "";
    for (MatchResult found : line.matcher(ReferencePages.CONFIGURATION.text()).results().toList()) {
      section = found.group(1) == null ? section : found.group(1);
      String entries = String.valueOf(found.group(2));
      for (MatchResult key : entry.matcher(entries).results().toList()) {
        assertThat(refusal(section, key.group(1), folder)).doesNotContain("unknown key");
        tried.add(key.group(1).replaceFirst(":.*", ""));
      }
    }
    assertThat(tried).hasSizeGreaterThan(99).contains("token", "body-base64", "hands", "catch-up");
    assertThat(List.of("pocketwatch.server", "pocketwatch.schedules.NAME", "pocketwatch.wheel"))
        .allSatisfy(
            each -> assertThat(refusal(each, "named: env", folder)).contains("named: unknown key"));
  }

  /** What is said of a configuration that has nothing but this key. */
  private static String refusal(String section, String entry, Path folder) throws IOException {
    String yaml = "{" + section.replace(".", ": {") + ": {" + entry;
    yaml += "}".repeat(section.split("\\.").length + 1);
    Path file = Files.writeString(folder.resolve("pocketwatch.yml"), yaml);
    return yaml + catchThrowable(() -> ConfigurationFile.loadAll(file, false));
  }

  @Test
  @DisplayName("every metric of the alerts and the dashboard is in the reference")
  void every_watched_metric_is_there() throws IOException {
    Path docker = ReferencePages.ROOT.resolve("docker");
    String watched =
        Files.readString(docker.resolve("grafana/dashboards/pocketwatch.json"))
            + Files.readString(docker.resolve("prometheus/alerts.yml"));
    List<String> names =
        Pattern.compile("pocketwatch_\\w+")
            .matcher(watched)
            .results()
            .map(found -> found.group().replaceFirst("_(count|sum|max|bucket)$", ""))
            .distinct()
            .toList();

    String page = Files.readString(ReferencePages.METRICS.page());
    assertThat(names).hasSizeGreaterThan(10).allMatch(name -> page.contains("`" + name + "`"));
  }
}
