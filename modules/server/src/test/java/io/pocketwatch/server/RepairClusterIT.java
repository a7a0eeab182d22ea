// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hold queue whose only node is down: it refuses like a dead one, and has lost nothing. */
@Tag("wide")
class RepairClusterIT {
  private static final String QUEUE = "pocketwatch.wheel.quorum.1m.30";

  @TempDir private Path folder;

  @Test
  void leaves_a_queue_alone_whose_nodes_are_down() throws Exception {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withVersion("4.3")
            .withPlugins(List.of())
            .withStartTimeout(Duration.ofMinutes(4));
    try (BrokerCluster cluster = LocalBroker.cluster(options, 3)) {
      Path config =
          Files.writeString(
              folder.resolve("pocketwatch.yml"),
              """
              pocketwatch:
                wheel: {max-delay: 1h, resolution: 1m, hands: [1m]}
              """);
      // A cluster that has just met elects leaders for a while; a publisher tells, and gives up.
      await()
          .atMost(Duration.ofMinutes(3))
          .ignoreException(TopologyException.class)
          .until(() -> hold(cluster, config));
      BrokerNode here = cluster.node(0);
      BrokerNode there = cluster.node(2);
      for (BrokerNode each : List.of(here, cluster.node(1))) {
        here.ctl(
            "eval",
            "ok = rabbit_quorum_queue:delete_member(<<\"/\">>, <<\"%s\">>, '%s@localhost')."
                .formatted(QUEUE, each.name()));
      }
      there.kill();

      CommandRun run =
          CommandRun.of("repair", "--yes", "--config=" + config, "--broker=" + here.amqpUri());

      assertThat(run.out()).as("%s", run).containsExactly(QUEUE + " refuses messages");
      assertThat(run.err()).anyMatch(line -> line.contains("a node of the broker is down"));
      assertThat(run.exitCode()).isEqualTo(1);
      there.start();
      await().atMost(Duration.ofSeconds(60)).until(() -> messages(here) == 1);
    }
  }

  private static boolean hold(BrokerCluster cluster, Path config) throws Exception {
    try (Connection connection = cluster.node(0).connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, Map.of("x-queue-type", "quorum"));
    }
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(cluster.node(0).connectionFactory())
            .addresses(
                cluster.nodes().stream()
                    .map(node -> new Address("127.0.0.1", node.amqpUri().getPort()))
                    .toList())
            .routes(DelayRoutes.load(config))
            .build()) {
      publisher
          .publish(DelayedMessage.toQueue("orders").body("x").delay(Duration.ofMinutes(30)))
          .join();
      // By these it is seen later that a node is down.
      await().atMost(Duration.ofSeconds(30)).until(() -> everyNodeHasItsSink(cluster.node(0)));
      return true;
    }
  }

  private static boolean everyNodeHasItsSink(BrokerNode node) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection()) {
      connection.createChannel().queueDeclarePassive(new Names("pocketwatch").nodeSink(3));
      return true;
    } catch (IOException e) { // not there yet
      return false;
    }
  }

  private static long messages(BrokerNode node) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      return channel.messageCount(QUEUE);
    }
  }
}
