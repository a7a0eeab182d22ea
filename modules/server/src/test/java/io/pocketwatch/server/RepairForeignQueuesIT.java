// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Declares where nothing was, and names queues under its prefix that no configuration names. */
@Tag("wide")
class RepairForeignQueuesIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Test
  void names_them_and_the_step_that_helps(@TempDir Path folder) throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            """
            pocketwatch:
              name-prefix: strangers
              wheel: {max-delay: 90s, hands: [10s, 1s, 100ms, 10ms]}
            """);
    assertThat(repair(config).exitCode()).isEqualTo(1);
    CommandRun first = repair(config, "--yes");
    assertThat(first.exitCode()).as("%s", first).isZero();
    try (Connection connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      for (String queue :
          new String[] {
            "strangers.backup", "strangers.ttl.quorum.5000", "strangers.ttl.classic.7000"
          }) {
        channel.queueDeclare(queue, true, false, false, Map.of());
        if (!queue.endsWith("7000")) {
          channel.basicPublish("", queue, new BasicProperties(), new byte[0]);
        }
      }
      channel.basicPublish("strangers.unroutable", "", new BasicProperties(), new byte[0]);
      channel.waitForConfirmsOrDie(5_000);

      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(repair(config).err())
                      .anyMatch(
                          line -> line.startsWith("1 message in queue 'strangers.unroutable'"))
                      .anyMatch(
                          line ->
                              line.startsWith(
                                      "strangers.backup is no queue of ours, with 1 message")
                                  && line.contains("'strangers.unroutable'"))
                      .anyMatch(
                          line ->
                              line.startsWith(
                                  "strangers.ttl.quorum.5000 is of another configuration and holds"
                                      + " 1 message"))
                      .anyMatch(
                          line ->
                              line.startsWith(
                                  "Empty, and of other configurations: 1 hold queue.")));
    }
  }

  @Test
  void names_what_policies_do_that_no_message_shows(@TempDir Path folder) throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            """
            pocketwatch:
              name-prefix: ruled
              wheel: {max-delay: 90s, hands: [10s, 1s, 100ms, 10ms]}
            """);
    assertThat(repair(config, "--yes").exitCode()).isZero();
    String virtualHost = BROKER.connectionFactory().getVirtualHost();
    String policy = "{\"message-ttl\":60000,\"dead-letter-exchange\":\"theirs\"}";
    BROKER.node().ctl("set_policy", "-p", virtualHost, "theirs", ".*", policy);
    try {
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(repair(config).err())
                      .anyMatch(line -> line.contains("a message-ttl of 60000 ms"))
                      .anyMatch(line -> line.contains("message is copied to 'theirs'")));
    } finally {
      BROKER.node().ctl("clear_policy", "-p", virtualHost, "theirs");
    }
  }

  private static CommandRun repair(Path config, String... more) {
    String[] line = {
      "repair",
      "--config=" + config,
      "--broker=" + BROKER.amqpUri(),
      "--management=" + BROKER.node().managementUri().orElseThrow()
    };
    return CommandRun.of(Stream.of(line, more).flatMap(Stream::of).toArray(String[]::new));
  }
}
