// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.deadletter.DeadLetters;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hands that RabbitMQ itself offers: shovels, federation, definitions. */
@Tag("wide")
class MovedByPluginsIT {
  private static final String DOWNSTREAM = "downstream";

  private static BrokerNode node;

  @BeforeAll
  static void start() {
    node =
        LocalBroker.find(
            LocalBrokerOptions.defaults()
                .withVersion(SharedNodes.NEWEST)
                .withControllable(true)
                .withPlugins(List.of("rabbitmq_federation", "rabbitmq_shovel")),
            line -> {});
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  /** Every exchange is federated, ours too: its copies find no way, and are no messages to send. */
  @Test
  void copies_that_federation_makes_of_ours_are_never_sent() throws Exception {
    node.ctl("add_vhost", DOWNSTREAM);
    node.ctl("set_permissions", "-p", DOWNSTREAM, "guest", ".*", ".*", ".*");
    ConnectionFactory there = node.connectionFactory();
    there.setVirtualHost(DOWNSTREAM);
    try (World world = new World(node, "fed");
        Connection connection = there.newConnection("there");
        Channel channel = connection.createChannel()) {
      String orders = world.target("fed-orders");
      channel.exchangeDeclare(orders, BuiltinExchangeType.DIRECT, true);
      channel.queueDeclare(orders, true, false, false, null);
      channel.queueBind(orders, orders, "key");
      DelayedPublisher publisher = world.publisher();
      publisher(world, there, orders);
      node.ctl(
          "set_parameter",
          "-p",
          DOWNSTREAM,
          "federation-upstream",
          "up",
          "{\"uri\":\"amqp://127.0.0.1:" + node.amqpUri().getPort() + "/%2F\"}");
      node.ctl(
          "set_policy",
          "-p",
          DOWNSTREAM,
          "--apply-to",
          "exchanges",
          "all",
          ".*",
          "{\"federation-upstream-set\":\"all\"}");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                String queues = node.ctl("-q", "list_queues", "name");
                return queues.contains("federation: fed-orders")
                    && queues.contains("federation: fed.release");
              });

      List<PublishReceipt> receipts =
          Futures.all(
              20,
              i ->
                  publisher.publish(
                      DelayedMessage.to(orders, "key").delay(Duration.ofMillis(2_500))));
      assertThat(Futures.outcomes(receipts)).containsOnly(CONFIRMED);
      await().atMost(Duration.ofSeconds(30)).until(() -> world.count(orders) == 20);
      await().atMost(Duration.ofSeconds(30)).until(() -> channel.messageCount(orders) == 20);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> channel.messageCount("fed.unroutable") > 0);

      try (DeadLetters waiting = kept(connection, "fed")) {
        DeadLetters.Result result = waiting.send(Set.of(), seen -> true);
        assertThat(result.sent()).isZero();
        assertThat(result.left().keySet()).allMatch(why -> why.contains("federation"));
      }
      assertThat(channel.messageCount(orders)).isEqualTo(20);
      assertThat(world.count("fed.unroutable")).isZero();
    } finally {
      node.ctl("delete_vhost", DOWNSTREAM);
    }
  }

  /** To an exchange they keep their keys, and so can be sent on when they are due. */
  @Test
  void what_a_shovel_has_moved_to_unroutable_is_sent_when_due() throws Exception {
    try (World world = new World(node, "shovel")) {
      String target = world.target("shovel-orders");
      PublishReceipt receipt =
          Futures.get(
              world
                  .publisher()
                  .publish(DelayedMessage.to(target, "key").delay(Duration.ofMillis(9_500))));
      String queue = "shovel.wheel.quorum.1s.9";
      await().until(() -> world.count(queue) == 1);

      node.ctl(
          "set_parameter",
          "shovel",
          "move",
          ("{\"src-protocol\":\"amqp091\",\"src-uri\":\"amqp://\",\"src-queue\":\"%s\","
                  + "\"src-delete-after\":\"queue-length\",\"dest-protocol\":\"amqp091\","
                  + "\"dest-uri\":\"amqp://\",\"dest-exchange\":\"shovel.unroutable\"}")
              .formatted(queue));
      await().atMost(Duration.ofSeconds(20)).until(() -> world.count("shovel.unroutable") == 1);

      try (Connection connection = node.connectionFactory().newConnection("send")) {
        if (Instant.now().isBefore(receipt.deliverAt().minusMillis(500))) {
          assertThat(sendAgain(connection, "shovel").left())
              .containsOnlyKeys("not due yet: send again later");
        }
        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> !Instant.now().isBefore(receipt.deliverAt()));
        assertThat(sendAgain(connection, "shovel").sent()).isEqualTo(1);
      }
      assertThat(world.inbox(target).awaitOne().id()).isEqualTo(receipt.id());
    }
  }

  /** They carry no messages; the first publisher there finds all it needs. */
  @Test
  void definitions_imported_elsewhere_change_nothing_here(@TempDir Path folder) throws Exception {
    try (World world = new World(node, "defs");
        BrokerNode other = SharedNodes.own(SharedNodes.NEWEST)) {
      String target = world.target("defs-orders");
      DelayedPublisher publisher = world.publisher();
      Inbox inbox = world.inbox(target);
      String file = folder.resolve("definitions.json").toString();
      List<PublishReceipt> receipts =
          Futures.all(
              50,
              i ->
                  publisher.publish(DelayedMessage.to(target, "key").delay(Duration.ofSeconds(5))));
      node.ctl("export_definitions", file);
      other.ctl("import_definitions", file);
      inbox.await(50, Duration.ofSeconds(20));
      assertThat(inbox.ids())
          .containsExactlyInAnyOrderElementsOf(receipts.stream().map(PublishReceipt::id).toList());

      try (World there = new World(other, "defs")) {
        PublishReceipt receipt =
            Futures.get(
                there
                    .publisher()
                    .publish(DelayedMessage.to(target, "key").delay(Duration.ofMillis(700))));
        Inbox.Arrival arrival = there.inbox(target).awaitOne();
        assertThat(arrival.id()).isEqualTo(receipt.id());
        assertThat(arrival.lateness()).isGreaterThanOrEqualTo(Duration.ZERO);
      }
    }
  }

  private static void publisher(World world, ConnectionFactory there, String orders) {
    Futures.get(
        world
            .publisher(there, world.routes())
            .publish(DelayedMessage.to(orders, "nobody").delay(Duration.ofSeconds(60))));
  }

  private static DeadLetters.Result sendAgain(Connection connection, String prefix)
      throws Exception {
    try (DeadLetters waiting = kept(connection, prefix)) {
      return waiting.send(Set.of(), seen -> true);
    }
  }

  private static DeadLetters kept(Connection connection, String prefix) throws IOException {
    Names names = new Names(prefix);
    return new DeadLetters(connection, names, DeadLetterQueue.unroutable(names));
  }
}
