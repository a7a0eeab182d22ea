// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whoever is woken by an alert finds what to do. */
class AlertsPageTest {
  private static final Path PAGE = Path.of("modules/docs/operate/alerts.md");
  private static final Pattern PARAGRAPH =
      Pattern.compile("(?ms)^## (\\w+)\\n\\n(.*?)(?=\\n## |\\z)");

  @Test
  @DisplayName("each alert has its paragraph, in the same order, and no other has one")
  void each_has_its_paragraph() throws IOException {
    Map<String, String> paragraphs = new LinkedHashMap<>();
    PARAGRAPH
        .matcher(Pages.text(PAGE))
        .results()
        .forEach(found -> paragraphs.put(found.group(1), found.group(2)));

    assertThat(paragraphs.keySet())
        .hasSizeGreaterThan(10)
        .containsExactlyElementsOf(
            alerts().stream().map(alert -> alert.get("alert").asText()).toList());
    assertThat(paragraphs.values())
        .allSatisfy(
            text ->
                assertThat(text)
                    .containsPattern("(?s)^\\S.*\\n\\*\\*Look:\\*\\* .*\\n\\*\\*Do:\\*\\* "));
  }

  @Test
  @DisplayName("each alert names its paragraph, below the address that one label has")
  void each_names_its_paragraph() throws IOException {
    for (JsonNode alert : alerts()) {
      String name = alert.get("alert").asText();
      assertThat(alert.at("/annotations/runbook_url").asText())
          .isEqualTo(
              "{{ with $externalLabels.runbooks }}{{ . }}{{ else }}"
                  + PAGE
                  + "{{ end }}#"
                  + name.toLowerCase(Locale.ROOT));
    }
    assertThat(Pages.text(PAGE)).contains("external_labels").contains("runbooks:");
  }

  @Test
  @DisplayName("each alert says whether it wakes a person, and the page says the same")
  void each_has_its_severity() throws IOException {
    Map<String, Set<String>> severities = new TreeMap<>();
    for (JsonNode alert : alerts()) {
      severities
          .computeIfAbsent(alert.at("/labels/severity").asText(), each -> new TreeSet<>())
          .add(alert.get("alert").asText());
    }
    assertThat(severities).containsOnlyKeys("critical", "warning");
    Matcher said =
        Pattern.compile("(?s)`severity: critical`:(.*?)\\.\\s+All\\s+others\\s+are\\s+`warning`")
            .matcher(Pages.text(PAGE));
    assertThat(said.find()).isTrue();
    assertThat(
            Pattern.compile("`(\\w+)`")
                .matcher(said.group(1))
                .results()
                .map(found -> found.group(1)))
        .containsExactlyInAnyOrderElementsOf(severities.get("critical"));
  }

  private static List<JsonNode> alerts() throws IOException {
    JsonNode file = new YAMLMapper().readTree(Pages.text(Path.of("docker/prometheus/alerts.yml")));
    return file.findParents("alert");
  }
}
