// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The commands of README.md's section on HTTP, run as they stand there. */
class RestReadmeIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir private Path folder;

  @Test
  void the_commands_do_what_it_says() throws Exception {
    boolean curl =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "curl")));
    assumeThat(curl).as("this machine has no curl").isTrue();
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("orders", "topic", true);
    }
    try (TestDatabase database = TestDatabases.h2();
        RunningServer server =
            RunningServer.start(
                folder,
                """
                routes: {order-timeout: {exchange: orders, routing-key: order.timeout, tracking: full}}
                wheel: {max-delay: 1h, resolution: 1s, hands: [1h, 1m, 1s]}
                """,
                database.url(),
                broker.amqpUri(),
                Map.of())) {
      List<String> answers = run(commands().replace("http://127.0.0.1:8177", server.url()));

      assertThat(answers).hasSize(3);
      assertThat(json(answers.get(0)).at("/stored").booleanValue()).isTrue();
      assertThat(json(answers.get(1)).at("/items/0/id").textValue())
          .isEqualTo("order-4711-timeout");
      assertThat(json(answers.get(2)).at("/message/state").textValue()).isEqualTo("CANCELLED");
    }
  }

  private static JsonNode json(String text) throws Exception {
    return RunningServer.JSON.readTree(text);
  }

  private static String commands() throws Exception {
    String readme = Files.readString(Path.of("..", "..", "README.md"));
    String section = readme.substring(readme.indexOf("### Over HTTP"));
    int begin = section.indexOf("```sh\n") + 6;
    return section.substring(begin, section.indexOf("```", begin));
  }

  /** One line of output per command. */
  private static List<String> run(String commands) throws Exception {
    String script = "set -e\n" + commands.replace("\ncurl ", "\necho\ncurl ");
    Process process = new ProcessBuilder("bash", "-c", script).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().filter(line -> !line.isBlank()).toList();
  }
}
