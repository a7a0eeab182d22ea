// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who is woken by an alert sees on the dashboard what it speaks of. */
class DashboardTest {
  private static final Path DASHBOARD = Path.of("docker/grafana/dashboards/pocketwatch.json");
  private static final Path ALERTS = Path.of("docker/prometheus/alerts.yml");
  private static final Path METRICS = Path.of("modules/docs/reference/metrics.md");
  private static final Pattern METRIC =
      Pattern.compile("\\b(?:(?:pocketwatch|rabbitmq)_\\w+|up\\b)");
  private static final Pattern ENTRY =
      Pattern.compile("(?m)^- `(\\w+)` \\((gauge|counter|timer)(?: by ([^)]+))?\\)");
  private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\) *\\((?:\\w+\\()?(\\w+)");

  /** Of Prometheus, of a timer's percentiles, and of RabbitMQ's queues. */
  private static final Set<String> ANYWAY = Set.of("instance", "job", "quantile");

  private record Metric(String kind, Set<String> tags) {}

  @Test
  @DisplayName("every metric of an alert is on it")
  void every_metric_of_an_alert_is_on_it() throws IOException {
    String alerts =
        new YAMLMapper()
            .readTree(Pages.text(ALERTS)).findValuesAsText("expr").stream()
                .collect(Collectors.joining(" "));
    assertThat(names(alerts)).hasSizeGreaterThan(15).contains("up");
    assertThat(names(String.join(" ", queries()))).containsAll(names(alerts));
  }

  @Test
  @DisplayName("it asks for metrics and tags that there are, and for each of ours")
  void it_asks_for_what_there_is() throws IOException {
    Map<String, Metric> known = known();
    Set<String> shown = new TreeSet<>();
    for (String query : queries()) {
      for (String name : names(query)) {
        if (name.startsWith("pocketwatch_")) {
          String base = name.replaceFirst("_(count|sum|max)$", "");
          String metric = known.containsKey(name) ? name : base;
          assertThat(known).as(query).containsKey(metric);
          assertThat(metric.equals(name) || known.get(metric).kind().equals("timer"))
              .as(name)
              .isTrue();
          shown.add(metric);
        }
      }
      BY.matcher(query)
          .results()
          .filter(each -> known.containsKey(each.group(2)))
          .forEach(
              each ->
                  assertThat(each.group(1).split(", *"))
                      .as(query)
                      .isSubsetOf(
                          Stream.concat(ANYWAY.stream(), known.get(each.group(2)).tags().stream())
                              .toList()));
    }
    assertThat(shown).isEqualTo(known.keySet());
  }

  @Test
  @DisplayName("it can be narrowed down, and every query of ours is")
  void every_query_has_the_variables() throws IOException {
    assertThat(json().at("/templating/list").findValuesAsText("name"))
        .containsExactly("datasource", "job", "instance", "route");
    assertThat(queries())
        .filteredOn(each -> each.contains("pocketwatch_"))
        .allSatisfy(
            each -> {
              long selectors =
                  Pattern.compile("pocketwatch_\\w+\\{").matcher(each).results().count();
              assertThat(
                      Pattern.compile("job=~\"\\$job\",instance=~\"\\$instance\"")
                          .matcher(each)
                          .results()
                          .count())
                  .as(each)
                  .isEqualTo(selectors);
            });
    assertThat(rows()).contains("Traffic, errors, lateness, saturation");
  }

  private static Set<String> names(String queries) {
    String bare = queries.replaceAll("\"[^\"]*\"", "\"\"");
    return METRIC
        .matcher(bare)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static JsonNode json() throws IOException {
    return new ObjectMapper().readTree(Pages.text(DASHBOARD));
  }

  private static List<String> queries() throws IOException {
    return json().get("panels").findValuesAsText("expr");
  }

  private static List<String> rows() throws IOException {
    return json().get("panels").findParents("collapsed").stream()
        .map(each -> each.get("title").asText())
        .toList();
  }

  private static Map<String, Metric> known() throws IOException {
    Map<String, Metric> known = new TreeMap<>();
    ENTRY
        .matcher(Pages.text(METRICS))
        .results()
        .forEach(
            found ->
                known.put(
                    found.group(1),
                    new Metric(
                        found.group(2),
                        found.group(3) == null
                            ? Set.of()
                            : Set.copyOf(
                                Arrays.asList(found.group(3).replace("`", "").split(", "))))));
    assertThat(known).hasSizeGreaterThan(30);
    return known;
  }
}
