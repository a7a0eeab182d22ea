// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a message is doing is called by one set of words, those of {@link Phase}. */
class PhasesTest {
  private static final Path CONCEPTS = Path.of("modules/docs/concepts.md");
  private static final Path OPENAPI =
      Path.of("modules/server/src/main/resources/io/pocketwatch/server/api/openapi.yaml");
  private static final List<Path> QUERIES =
      List.of(
          Path.of("docker/prometheus/alerts.yml"),
          Path.of("docker/grafana/dashboards/pocketwatch.json"));

  /** Pages about the row itself; they say that it is the column's value. */
  private static final List<Path> OF_THE_ROW =
      List.of(
          CONCEPTS,
          Path.of("modules/docs/reference/tables.md"),
          Path.of("modules/docs/reference/metrics.md"));

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z-]+)` \\|(.*)\\|$");
  private static final Pattern MATCHER =
      Pattern.compile("\\bphase(?:=|!=|=~|!~)\\\\?\"([^\"\\\\]*)");

  /** As in: its phase is `retrying`. */
  private static final Pattern SAID = Pattern.compile("\\bphase is\\s+`([^`]+)`");

  private static final Pattern STATE =
      Pattern.compile(
          Arrays.stream(MessageState.values())
              .map(Enum::name)
              .collect(Collectors.joining("|", "\\b(?:", ")\\b")));

  private static final List<String> CODES = Arrays.stream(Phase.values()).map(Phase::code).toList();

  @Test
  @DisplayName(
      "the manual's table has each phase on a line of its own, with its meaning and columns")
  void the_table_has_each() throws IOException {
    String page = Pages.text(CONCEPTS);
    String table =
        page.substring(page.indexOf("| Phase | Means |"), page.indexOf("**Overdue** is"));

    assertThat(ROW.matcher(table).results().map(each -> each.group(1)))
        .containsExactlyElementsOf(CODES);
    assertThat(ROW.matcher(table).results())
        .allSatisfy(
            each -> assertThat(each.group(2).split("\\|")).hasSize(3).noneMatch(String::isBlank));
  }

  @Test
  @DisplayName("REST's document has these phases")
  void the_document_has_them() throws IOException {
    JsonNode schemas = new YAMLMapper().readTree(Pages.text(OPENAPI)).at("/components/schemas");
    JsonNode overdue = schemas.at("/Overdue/properties/phases");

    assertThat(texts(schemas.at("/Message/properties/phase/enum"))).isEqualTo(CODES);
    assertThat(overdue.get("properties").fieldNames())
        .toIterable()
        .containsExactlyElementsOf(codes(Phase.overdue()));
    assertThat(texts(overdue.get("required"))).isEqualTo(codes(Phase.overdue()));
  }

  @Test
  @DisplayName("alerts and dashboards ask for phases that there are")
  void queries_ask_for_them() throws IOException {
    List<String> asked = new ArrayList<>();
    for (Path each : QUERIES) {
      MATCHER
          .matcher(Pages.text(each))
          .results()
          .forEach(found -> asked.addAll(List.of(found.group(1).split("\\|"))));
    }

    assertThat(asked).isNotEmpty().isSubsetOf(codes(Phase.overdue()));
  }

  @Test
  @DisplayName("what the manual calls a phase is one; only pages about the row have states")
  void pagesSayThem() throws IOException {
    List<String> said = new ArrayList<>();
    for (Path page : Pages.manual()) {
      String text = Pages.text(page);
      SAID.matcher(text).results().forEach(found -> said.add(found.group(1)));
      boolean free = OF_THE_ROW.contains(page) || page.endsWith("changelog.md");
      if (!free) {
        assertThat(STATE.matcher(Pages.withoutCode(page)).results().map(each -> each.group()))
            .as("%s: a phase in place of a state", page)
            .isEmpty();
      }
    }

    assertThat(said).hasSizeGreaterThan(1).isSubsetOf(CODES);
  }

  private static List<String> codes(Collection<Phase> phases) {
    return phases.stream().map(Phase::code).toList();
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }
}
