// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
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
  void saysWhatTheCodeSays(ReferencePages reference) throws IOException {
    String text = reference.text();
    if (Boolean.getBoolean("pocketwatch.docs.write")) {
      Files.writeString(reference.page(), text);
    }
    assertThat(Files.readString(reference.page()))
        .as("%s is not what the code says; -Dpocketwatch.docs.write=true writes it", reference)
        .isEqualTo(text);
  }

  @Test
  @DisplayName("every metric of the alerts and the dashboard is in the reference")
  void everyWatchedMetricIsThere() throws IOException {
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
