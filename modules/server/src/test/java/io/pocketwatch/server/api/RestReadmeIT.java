// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands with curl, run as they stand, on the routes and the user of docker/'s stack. */
class RestReadmeIT {
  private static final Path ROOT = Path.of("..", "..");
  private static final String USER = "-u pocketwatch:pocketwatch";

  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir private Path folder;
  private TestDatabase database;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    boolean curl =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "curl")));
    assumeThat(curl).as("this machine has no curl").isTrue();
    JsonNode routes =
        new YAMLMapper()
            .readTree(ROOT.resolve("docker/config/pocketwatch.yml").toFile())
            .at("/pocketwatch/routes");
    database = TestDatabases.h2();
    server =
        RunningServer.start(
            folder,
            """
            routes: %s
            wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
            server: {credentials: {pocketwatch: {role: write, password: "env:PASSWORD"}}}
            """
                .formatted(routes),
            database.url(),
            broker.amqpUri(),
            Map.of("PASSWORD", "pocketwatch"));
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
      database.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "modules/docs/guides/http.md"})
  void a_message_is_scheduled_and_found_and_taken_back(String page) throws Exception {
    List<String> answers = run(curls(page).get(0));

    assertThat(answers).hasSize(3);
    assertThat(json(answers.get(0)).at("/stored").booleanValue()).isTrue();
    assertThat(json(answers.get(1)).at("/items/0/id").textValue()).isEqualTo("order-4711-timeout");
    assertThat(json(answers.get(2)).at("/message/state").textValue()).isEqualTo("CANCELLED");
  }

  @Test
  void the_quickstart_ends_with_the_readers_message_in_the_readers_queue() throws Exception {
    assumeThat(broker.node().managementUri()).as("the broker's management page").isPresent();
    List<String> curls = curls("modules/docs/quickstart.md");
    assertThat(curls).hasSize(2);

    List<String> answers = run(curls.get(0));

    assertThat(json(answers.get(0)).at("/strategy").textValue()).isEqualTo("QUEUE_WHEEL");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(json(run(curls.get(1)).get(0)).at("/0/payload").textValue())
                    .contains("Drink some tea"));
  }

  private static JsonNode json(String text) throws Exception {
    return RunningServer.JSON.readTree(text);
  }

  private static List<String> curls(String page) throws Exception {
    return Pattern.compile("(?ms)^```sh\\n(curl .*?)^```")
        .matcher(Files.readString(ROOT.resolve(page)))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** The lines they answer. The management page of a private node has a user of its own. */
  private List<String> run(String commands) throws Exception {
    String script = commands.replace("http://127.0.0.1:8177", server.url());
    if (commands.contains(":15672")) {
      URI page = broker.node().managementUri().orElseThrow();
      String address = "http://" + page.getHost() + ":" + page.getPort();
      script =
          script
              .lines()
              .map(
                  line ->
                      line.contains("http://127.0.0.1:15672")
                          ? line.replace(USER, "-u " + page.getUserInfo())
                              .replace("http://127.0.0.1:15672", address)
                              .replace("/%2F/", "/" + broker.virtualHost() + "/")
                          : line)
              .reduce("", (all, line) -> all + line + "\n");
    }
    script = "set -e\n" + script.replace("\ncurl ", "\necho\ncurl ");
    Process process = new ProcessBuilder("bash", "-c", script).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().filter(line -> !line.isBlank()).toList();
  }
}
