// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What modules/docs/operate/troubleshoot.md tells an operator to do brings the messages, and
 * disturbs no other node.
 */
@Tag("wide")
class DeadLetteringIT {
  private static final LocalBrokerOptions OPTIONS =
      LocalBrokerOptions.defaults()
          .withVersion("4.3")
          .withControllable(true)
          .withPlugins(List.of());

  @Test
  void what_a_node_kept_comes_when_it_was_restarted() throws Exception {
    try (BrokerNode node = LocalBroker.find(OPTIONS, line -> {})) {
      declare(node);
      assertThat(DeadLettering.restartWhereItEnded(List.of(node))).isEmpty();
      node.ctl("eval", "supervisor:terminate_child(rabbit_sup, rabbit_fifo_dlx_sup).");
      publish(node);
      await("it is due, and stays")
          .pollDelay(Duration.ZERO)
          .during(Duration.ofSeconds(5))
          .atMost(Duration.ofSeconds(8))
          .until(() -> arrived(node) == 0);

      assertThat(DeadLettering.restartWhereItEnded(List.of(node))).containsExactly(node.name());

      await().atMost(Duration.ofSeconds(20)).until(() -> arrived(node) == 1);
    }
  }

  private static void declare(BrokerNode node) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("target", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueDeclare(
          "hold",
          true,
          false,
          false,
          Map.of(
              "x-queue-type", "quorum",
              "x-overflow", "reject-publish",
              "x-dead-letter-strategy", "at-least-once",
              "x-dead-letter-exchange", "",
              "x-dead-letter-routing-key", "target",
              "x-message-ttl", 500));
    }
  }

  private static void publish(BrokerNode node) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.basicPublish("", "hold", MessageProperties.PERSISTENT_BASIC, new byte[1]);
      channel.waitForConfirmsOrDie(10_000);
    }
  }

  private static long arrived(BrokerNode node) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      return channel.messageCount("target");
    }
  }
}
