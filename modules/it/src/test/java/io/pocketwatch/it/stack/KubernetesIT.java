// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.pocketwatch.it.ServerProcess;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Without a cluster: what {@code docker/kubernetes} becomes is valid, fits together, and runs when
 * it is started as a node would, but for the container around it.
 */
class KubernetesIT {
  private static final Path FOLDER = ComposeFile.FOLDER.resolve("kubernetes");
  private static final String PASSWORD = "not-the-default";

  @TempDir private Path folder;
  private Map<String, JsonNode> objects = Map.of();
  private JsonNode pod;
  private JsonNode server;

  @BeforeEach
  void render() throws Exception {
    objects = Kubectl.kustomize(FOLDER.resolve("example"));
    pod = object("Deployment").at("/spec/template/spec");
    server = pod.at("/containers/0");
  }

  @Test
  void what_it_becomes_is_valid() throws IOException {
    assertThat(objects)
        .containsOnlyKeys(
            "ConfigMap pocketwatch",
            "ConfigMap pocketwatch-schema",
            "Deployment pocketwatch",
            "Job pocketwatch-schema",
            "NetworkPolicy pocketwatch",
            "PodDisruptionBudget pocketwatch",
            "Service pocketwatch");
    for (JsonNode each : objects.values()) {
      Kubectl.validate(each);
    }
    ((ObjectNode) server).set("livenesProbe", ((ObjectNode) server).remove("livenessProbe"));
    assertThatThrownBy(() -> Kubectl.validate(object("Deployment")))
        .hasMessageContaining("livenesProbe");
  }

  @Test
  void its_parts_fit_together() {
    JsonNode labels = object("Deployment").at("/spec/template/metadata/labels");
    assertThat(object("Deployment").at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(object("Service").at("/spec/selector")).isEqualTo(labels);
    assertThat(object("PodDisruptionBudget").at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(pod.at("/volumes/0/configMap/name")).isEqualTo(name("ConfigMap"));
    assertThat(object("NetworkPolicy").at("/spec/podSelector/matchLabels")).isEqualTo(labels);
    assertThat(object("NetworkPolicy").at("/spec/ingress/0/ports/0/port"))
        .isEqualTo(server.at("/ports/0/name"));
    assertThat(object("Deployment").at("/spec/replicas").asInt())
        .isGreaterThan(object("PodDisruptionBudget").at("/spec/minAvailable").asInt());
    assertThat(object("Service").at("/spec/ports/0/targetPort"))
        .isEqualTo(server.at("/ports/0/name"));
    assertThat(objects.values())
        .allSatisfy(
            each -> assertThat(each.at("/metadata/namespace").asText()).isEqualTo("pocketwatch"));
  }

  @Test
  void it_may_do_little() throws IOException {
    for (JsonNode each : List.of(pod, schemaPod())) {
      assertThat(each.at("/automountServiceAccountToken").asBoolean(true)).isFalse();
      assertThat(each.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
      JsonNode security = each.at("/securityContext");
      assertThat(
              "USER "
                  + security.at("/runAsUser").asText()
                  + ":"
                  + security.at("/runAsGroup").asText())
          .isSubstringOf(Files.readString(ComposeFile.FOLDER.resolve("Dockerfile")));
    }
    List<JsonNode> containers = new ArrayList<>(initContainers());
    containers.add(server);
    containers.add(schema());
    for (JsonNode each : containers) {
      JsonNode security = each.at("/securityContext");
      assertThat(security.at("/allowPrivilegeEscalation").asBoolean(true)).isFalse();
      assertThat(security.at("/readOnlyRootFilesystem").asBoolean()).isTrue();
      assertThat(security.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
      assertThat(each.at("/resources/limits/memory").asText()).isNotEmpty();
    }
  }

  /** What is secret is in files, and nobody has both the servers' password and the owner's. */
  @Test
  void no_secret_is_in_a_variable() throws IOException {
    for (JsonNode each : List.of(server, initContainers().get(0), schema())) {
      assertThat(each.has("envFrom")).isFalse();
      for (JsonNode variable : each.at("/env")) {
        assertThat(variable.at("/name").asText()).endsWith("_FILE");
        assertThat(variable.at("/value").asText())
            .satisfies(
                path ->
                    assertThat(each.at("/volumeMounts").findValuesAsText("mountPath"))
                        .anyMatch(mount -> path.startsWith(mount + "/")));
      }
    }
    assertThat(pod.at("/volumes").findValuesAsText("secretName"))
        .containsExactly("pocketwatch", "rabbitmq-default-user");
    assertThat(schemaPod().at("/volumes").findValuesAsText("secretName"))
        .containsExactly("pocketwatch-schema");
    assertThat(yaml()).contains("\"file:/run/secrets/pocketwatch/api-password\"");
  }

  @Test
  void the_tables_are_made_by_another_user_in_the_same_database() throws IOException {
    ConfigurationFile tables =
        ConfigurationFile.load(
            Files.writeString(
                folder.resolve("schema.yml"),
                objects.get("ConfigMap pocketwatch-schema").at("/data/pocketwatch.yml").asText()));
    ConfigurationFile servers =
        ConfigurationFile.load(Files.writeString(folder.resolve("p.yml"), yaml()));

    assertThat(tables.requireStore().url()).isEqualTo(servers.requireStore().url());
    assertThat(tables.requireStore().user())
        .isNotNull()
        .isNotEqualTo(servers.requireStore().user());
    JsonNode labels = object("Job").at("/spec/template/metadata/labels");
    assertThat(labels).as("no server").isNotEqualTo(object("Service").at("/spec/selector"));
  }

  /** What the example leaves out, as it needs an operator or a host name. */
  @Test
  void all_components_together_are_valid() throws Exception {
    Path copy = folder.resolve("kubernetes");
    try (Stream<Path> files = Files.walk(FOLDER)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        Path target = copy.resolve(FOLDER.relativize(each));
        Files.createDirectories(target.getParent());
        Files.writeString(target, Files.readString(each).replace("  # - ../", "  - ../"));
      }
    }
    Map<String, JsonNode> all = Kubectl.kustomize(copy.resolve("example"));

    assertThat(all)
        .containsKeys(
            "Ingress pocketwatch",
            "PrometheusRule pocketwatch",
            "ServiceMonitor pocketwatch",
            "ServiceMonitor rabbitmq")
        .hasSize(objects.size() + 4);
    JsonNode ingress = all.get("Ingress pocketwatch");
    Kubectl.validate(ingress);
    assertThat(ingress.findValuesAsText("path")).containsExactly("/", "/console", "/api");
    JsonNode rules =
        Kubectl.read(Files.readString(FOLDER.resolve("components/monitoring/rules.yaml"))).get(0);
    assertThat(rules.at("/spec/groups"))
        .isEqualTo(
            Kubectl.read(Files.readString(ComposeFile.FOLDER.resolve("prometheus/alerts.yml")))
                .get(0)
                .get("groups"));
    assertThat(all.get("ServiceMonitor pocketwatch").at("/spec/selector/matchLabels"))
        .isEqualTo(object("Service").at("/metadata/labels"));
  }

  @Test
  void its_configuration_is_valid() throws IOException {
    ConfigurationFile configuration =
        ConfigurationFile.load(Files.writeString(folder.resolve("p.yml"), yaml()));

    assertThat(configuration.server().address()).isEqualTo("0.0.0.0");
    assertThat(configuration.server().port())
        .isEqualTo(server.at("/ports/0/containerPort").asInt());
    assertThat(configuration.requireStore().url()).startsWith("jdbc:postgresql:");
  }

  @Test
  void the_broker_is_as_the_pages_ask_for() throws IOException {
    List<JsonNode> both = Kubectl.read(Files.readString(FOLDER.resolve("rabbitmq.yaml")));
    JsonNode broker = both.get(0);
    JsonNode init = broker.at("/spec/override/statefulSet/spec/template/spec/initContainers/0");

    assertThat(pod.at("/volumes").findValuesAsText("secretName"))
        .contains(broker.at("/metadata/name").asText() + "-default-user");
    Kubectl.validate(both.get(1));
    assertThat(both.get(1).at("/spec/selector/matchLabels"))
        .isEqualTo(
            broker.at(
                "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0"
                    + "/labelSelector/matchLabels"));
    assertThat(broker.at("/spec/image").asText())
        .isEqualTo(init.at("/image").asText())
        .matches("rabbitmq:\\d+\\.\\d+\\.\\d+-management");
    assertThat(broker.at("/spec/rabbitmq/advancedConfig").asText())
        .isEqualTo(LocalBrokerOptions.TUNED_ADVANCED_CONFIG);
    assertThat(Files.readString(Path.of("..", "docs", "operate", "install.md")))
        .contains("/bin/sh -c '" + init.at("/command/2").asText() + "'");
  }

  /** The servers' one; the Job is that of the tables. */
  private JsonNode object(String kind) {
    return objects.get(kind + (kind.equals("Job") ? " pocketwatch-schema" : " pocketwatch"));
  }

  private JsonNode schemaPod() {
    return object("Job").at("/spec/template/spec");
  }

  private JsonNode schema() {
    return schemaPod().at("/containers/0");
  }

  private List<JsonNode> initContainers() {
    return StreamSupport.stream(pod.at("/initContainers").spliterator(), false).toList();
  }

  private JsonNode name(String kind) {
    return object(kind).at("/metadata/name");
  }

  private String yaml() {
    return object("ConfigMap").at("/data/pocketwatch.yml").asText();
  }

  /** With a broker and a database. */
  @Nested
  @Tag("ci")
  class Running {
    @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

    /** Both replicas, and the probes as the kubelet asks them. */
    @Test
    void two_servers_start_together_share_the_store_and_end_in_time() throws Exception {
      try (TestDatabase database = TestDatabases.postgresql()) {
        List<CompletableFuture<ServerProcess.Result>> tables = new ArrayList<>();
        List<Replica> replicas =
            List.of(new Replica(database, "one"), new Replica(database, "two"));
        for (Replica each : replicas) {
          tables.add(CompletableFuture.supplyAsync(each::initialize));
        }
        for (CompletableFuture<ServerProcess.Result> each : tables) {
          assertThat(each.get(1, TimeUnit.MINUTES))
              .satisfies(result -> assertThat(result.exitCode()).as(result.output()).isZero());
        }
        try {
          for (Replica each : replicas) {
            each.start();
          }
          for (Replica each : replicas) {
            for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
              String path = server.at("/" + probe + "/httpGet/path").asText();
              await()
                  .atMost(Duration.ofMinutes(1))
                  .ignoreExceptionsInstanceOf(IOException.class)
                  .untilAsserted(
                      () ->
                          assertThat(each.ask(path, null).statusCode())
                              .as(Files.readString(each.log))
                              .isEqualTo(200));
            }
          }
          String message =
              "{\"route\": \"order-timeout\", \"id\": \"4711\", \"delay\": \"400d\", \"body\": 1}";
          assertThat(replicas.get(0).ask("/api/v1/messages", message))
              .satisfies(
                  answer -> assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201));
          assertThat(replicas.get(1).ask("/api/v1/messages", null).body()).contains("4711");
        } finally {
          for (Replica each : replicas) {
            each.stop();
          }
        }
      }
    }

    /** A Pod: its folder, its variables, and its processes one after the other. */
    private final class Replica {
      private final ServerProcess command;
      private final Path log;
      private final URI page;
      private Process process;

      Replica(TestDatabase database, String name) throws IOException {
        int port = freePort();
        page = URI.create("http://127.0.0.1:" + port);
        Path home = Files.createDirectories(folder.resolve(name));
        log = home.resolve("serve.log");
        Files.writeString(
            Files.createDirectories(home.resolve("config")).resolve("pocketwatch.yml"),
            yaml()
                .replaceFirst("jdbc:postgresql:\\S+", database.url())
                .replaceFirst("user: pocketwatch\\n", "")
                .replaceFirst("port: 8177", "port: " + port)
                .replace("/run/secrets", home + "/secrets")
                .replaceFirst(
                    "pocketwatch:\\n",
                    "pocketwatch:\n  wheel: { max-delay: 90s, hands: [10s, 1s] }\n"));
        Path secrets = Files.createDirectories(home.resolve("secrets/pocketwatch"));
        Files.writeString(secrets.resolve("api-password"), PASSWORD + "\n");
        Files.writeString(
            Files.createDirectories(home.resolve("secrets/broker")).resolve("connection_string"),
            BROKER.amqpUri().toString());
        command =
            new ServerProcess(
                home,
                List.of(),
                Map.of(
                    "POCKETWATCH_HOME",
                    home.toString(),
                    "POCKETWATCH_BROKER_FILE",
                    home + "/secrets/broker/connection_string"));
      }

      ServerProcess.Result initialize() {
        try {
          ServerProcess.Result checked = command.run(arguments(initContainers().get(0)));
          return checked.exitCode() == 0 ? command.run(arguments(schema())) : checked;
        } catch (IOException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      void start() throws IOException {
        process = command.start(log, arguments(server));
      }

      void stop() throws Exception {
        if (process != null) {
          process.destroy();
          boolean inTime =
              process.waitFor(pod.at("/terminationGracePeriodSeconds").asInt(), TimeUnit.SECONDS);
          process.destroyForcibly();
          assertThat(inTime).as(Files.readString(log)).isTrue();
        }
      }

      HttpResponse<String> ask(String path, String body) throws Exception {
        byte[] user = ("pocketwatch:" + PASSWORD).getBytes(StandardCharsets.UTF_8);
        HttpRequest.Builder request =
            HttpRequest.newBuilder(page.resolve(path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user));
        return HttpClient.newHttpClient()
            .send(
                (body == null ? request : request.POST(BodyPublishers.ofString(body))).build(),
                BodyHandlers.ofString());
      }

      private static String[] arguments(JsonNode container) {
        return StreamSupport.stream(container.at("/args").spliterator(), false)
            .map(JsonNode::asText)
            .toArray(String[]::new);
      }

      private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
          return socket.getLocalPort();
        }
      }
    }
  }
}
