// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Without an engine: the files of {@code docker/} parse and fit to each other and to the code. */
class StackFilesIT {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z0-9_]+)(:[-+])?");
  private static final String OBSERVABILITY = "compose.observability.yml";

  /** Every way to start a stack. */
  static Stream<List<String>> stacks() {
    return Stream.of(
        List.of("compose.yml"),
        List.of("compose.cluster.yml"),
        List.of("compose.yml", OBSERVABILITY),
        List.of("compose.cluster.yml", OBSERVABILITY));
  }

  @ParameterizedTest
  @MethodSource("stacks")
  void a_service_waits_for_others_until_they_are_healthy(List<String> names) throws IOException {
    Map<String, Map<String, Object>> services = stack(names).services();

    assertThat(services).containsKeys("postgres", "pocketwatch");
    services.forEach(
        (name, service) -> {
          assertThat(service).as(name).containsKey("image");
          // the server's is in its image
          assertThat(service.containsKey("healthcheck") || name.equals("pocketwatch"))
              .as("health check of " + name)
              .isTrue();
          ComposeFile.map(service.get("depends_on"))
              .forEach(
                  (other, how) -> {
                    assertThat(services).containsKey(other);
                    assertThat(how).isEqualTo(Map.of("condition", "service_healthy"));
                  });
        });
    Set<String> awaited = ComposeFile.map(services.get("pocketwatch").get("depends_on")).keySet();
    assertThat(services.keySet())
        .filteredOn(name -> name.startsWith("rabbitmq") || name.equals("postgres"))
        .containsExactlyInAnyOrderElementsOf(awaited);
  }

  @ParameterizedTest
  @MethodSource("stacks")
  void what_is_mounted_is_there_and_every_volume_is_named(List<String> names) throws IOException {
    ComposeFile stack = stack(names);
    List<String> volumes = new ArrayList<>();
    List<String> mounted = new ArrayList<>();
    for (Map<String, Object> service : stack.services().values()) {
      for (String mount : ComposeFile.list(service, "volumes")) {
        String source = mount.substring(0, mount.indexOf(':'));
        (source.startsWith(".") ? mounted : volumes).add(source);
      }
    }

    assertThat(mounted).isNotEmpty().allSatisfy(each -> assertThat(file(each)).exists());
    assertThat(volumes).doesNotHaveDuplicates();
    assertThat(stack.volumes()).containsOnlyKeys(volumes);
  }

  @ParameterizedTest
  @MethodSource("stacks")
  void ports_are_on_loopback_and_differ_unless_told_otherwise(List<String> names)
      throws IOException {
    List<String> ports =
        stack(names).services().values().stream()
            .flatMap(service -> ComposeFile.list(service, "ports").stream())
            .toList();

    assertThat(ports)
        .isNotEmpty()
        .allMatch(
            port -> port.matches("\\$\\{BIND_ADDRESS:-127\\.0\\.0\\.1}:\\$\\{\\w+:-\\d+}:\\d+"));
    assertThat(ports.stream().map(port -> port.replaceAll(".*:-(\\d+)}:\\d+", "$1")))
        .doesNotHaveDuplicates();
  }

  @Test
  void every_variable_has_a_default_and_a_line_in_the_readme() throws IOException {
    Set<String> used = new TreeSet<>();
    for (String name :
        List.of("services.yml", "compose.yml", "compose.cluster.yml", OBSERVABILITY)) {
      VARIABLE
          .matcher(text(name))
          .results()
          .forEach(
              found -> {
                assertThat(found.group(2)).as(found.group(1) + " has a default").isNotNull();
                used.add(found.group(1));
              });
    }

    Set<String> documented =
        Pattern.compile("(?m)^\\| `([A-Z0-9_]+)`")
            .matcher(text("README.md"))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(documented).isEqualTo(used);
  }

  @Test
  void the_brokers_settings_are_the_ones_we_test_with() throws IOException {
    assertThat(text("rabbitmq/advanced.config"))
        .isEqualTo(LocalBrokerOptions.TUNED_ADVANCED_CONFIG);
    for (Map<String, Object> service : ComposeFile.of("compose.cluster.yml").services().values()) {
      if (service.containsKey("hostname")) {
        assertThat(ComposeFile.list(service, "volumes"))
            .contains("./rabbitmq/advanced.config:/etc/rabbitmq/advanced.config:ro");
        assertThat(text("rabbitmq/cluster.conf")).contains("= rabbit@" + service.get("hostname"));
      }
    }
  }

  @Test
  void the_tables_are_made_by_the_librarys_own_file() throws IOException {
    String mount =
        ComposeFile.list(ComposeFile.of("compose.yml").services().get("postgres"), "volumes")
            .stream()
            .filter(each -> each.contains("docker-entrypoint-initdb.d"))
            .findFirst()
            .orElseThrow();
    StringBuilder ddl = new StringBuilder();
    try (Stream<Path> files = Files.list(file(mount.substring(0, mount.indexOf(':'))))) {
      for (Path each : files.sorted().toList()) {
        ddl.append(Files.readString(each));
      }
    }

    assertThat(ddl.toString().strip()).isEqualTo(JdbcSchema.ddl("postgresql").strip());
  }

  @Test
  void the_configuration_is_valid_and_fits_to_the_image() throws IOException {
    ConfigurationFile configuration =
        ConfigurationFile.load(ComposeFile.FOLDER.resolve("config/pocketwatch.yml"));
    String image = text("Dockerfile");

    assertThat(configuration.requireStore().url()).startsWith("jdbc:postgresql://postgres:5432/");
    assertThat(configuration.server().health()).hasToString("http://127.0.0.1:8177/health");
    assertThat(configuration.server().address()).isEqualTo("0.0.0.0");
    assertThat(image)
        .contains("\"health\", \"--url\", \"" + configuration.server().health() + "\"")
        .contains("EXPOSE 8177")
        .containsSubsequence(
            "FROM jre AS lab",
            "COPY modules/lab/target/pocketwatch-lab.jar ",
            "FROM jre AS server",
            "COPY modules/server/target/pocketwatch.jar ")
        .containsPattern("(?m)^USER [1-9]\\d*:[1-9]\\d*$")
        .containsPattern("(?m)^ENTRYPOINT \\[\"java\", ")
        .doesNotContain("# syntax");
  }

  /** The server's image is the last one of the file: what is built where no target is named. */
  @ParameterizedTest
  @MethodSource("stacks")
  void the_shop_alone_comes_from_the_lab(List<String> names) throws IOException {
    Map<String, String> targets = new TreeMap<>();
    stack(names)
        .services()
        .forEach(
            (name, service) -> {
              if (service.containsKey("build")) {
                targets.put(
                    name,
                    ComposeFile.map(service.get("build")).get("target")
                        + " as "
                        + service.get("image"));
              }
            });

    assertThat(targets)
        .isEqualTo(
            Map.of(
                "demo-traffic",
                "lab as ${POCKETWATCH_IMAGE:-pocketwatch:local}-lab",
                "pocketwatch",
                "server as ${POCKETWATCH_IMAGE:-pocketwatch:local}"));
  }

  @Test
  void the_dashboard_asks_the_data_source_that_is_provisioned() throws IOException {
    JsonNode dashboard = new ObjectMapper().readTree(text("grafana/dashboards/pocketwatch.json"));
    Map<String, Object> provisioned =
        ComposeFile.read("grafana/provisioning/datasources/prometheus.yml");

    Set<String> sources = new TreeSet<>();
    dashboard
        .get("panels")
        .findParents("refId")
        .forEach(each -> sources.add(each.at("/datasource/uid").asText()));
    assertThat(sources).containsExactly("${datasource}");
    assertThat(dashboard.at("/templating/list/0").toString())
        .contains("\"name\":\"datasource\"", "\"query\":\"prometheus\"");
    assertThat(provisioned.toString()).contains("type=prometheus", "isDefault=true");
    assertThat(dashboard.findValuesAsText("id")).isNotEmpty().doesNotHaveDuplicates();
    assertThat(ComposeFile.read("grafana/provisioning/dashboards/pocketwatch.yml"))
        .containsKey("providers");
    assertThat(ComposeFile.read("prometheus/prometheus.yml")).containsKey("scrape_configs");
    assertThat(ComposeFile.read("prometheus/alerts.yml")).containsKey("groups");
  }

  private static ComposeFile stack(List<String> names) throws IOException {
    return ComposeFile.of(names.toArray(String[]::new));
  }

  private static Path file(String mounted) {
    return ComposeFile.FOLDER.resolve(mounted);
  }

  private static String text(String name) throws IOException {
    return Files.readString(ComposeFile.FOLDER.resolve(name));
  }
}
