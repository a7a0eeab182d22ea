// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A release ends at a sink of its own node, and at the shared one where that is gone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("wide")
class NodeSinksIT {
  private static final String PREFIX = "sinks";
  private static final int EACH = 100;

  private BrokerCluster cluster;
  private World world;
  private DelayedPublisher publisher;

  @BeforeAll
  void open() throws Exception {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withVersion(SharedNodes.NEWEST)
            .withControllable(true)
            .withPlugins(List.of());
    cluster = LocalBroker.cluster(options, 3);
    world = new World(cluster.node(0), PREFIX);
    world.exchange("nobody", BuiltinExchangeType.DIRECT);
    world.exchange("somebody", BuiltinExchangeType.DIRECT);
    world.queue("somebody", Map.of("x-queue-type", "quorum"));
    world.channel().queueBind("somebody", "somebody", "key");
    HoldOptions hold = HoldOptions.builder().namePrefix(PREFIX).wheel(World.SMALL_WHEEL).build();
    DelayRoutes routes = DelayRoutes.builder().hold(hold).build();
    publisher =
        DelayedPublisher.builder(cluster.node(0).connectionFactory())
            .addresses(cluster.nodes().stream().map(NodeSinksIT::address).toList())
            .routes(routes)
            .build();
  }

  @AfterAll
  void close() throws Exception {
    publisher.close();
    world.close();
    cluster.close();
  }

  @Test
  @Order(1)
  void every_node_has_one_and_a_second_publisher_adds_none() throws Exception {
    List<String> sinks = sinks();
    assertThat(sinks).hasSize(3);
    for (BrokerNode node : cluster.nodes()) {
      assertThat(sinks).filteredOn(sink -> sink.contains(node.name() + "@")).hasSize(1);
    }
    DelayRoutes routes =
        DelayRoutes.builder()
            .hold(HoldOptions.builder().namePrefix(PREFIX).wheel(World.SMALL_WHEEL).build())
            .build();
    DelayedPublisher.builder(cluster.node(2).connectionFactory()).routes(routes).build().close();
    assertThat(sinks()).isEqualTo(sinks);
  }

  @Test
  @Order(2)
  void what_matches_nothing_holds_up_nobody() throws Exception {
    assertNobodyIsHeldUp();
  }

  @Test
  @Order(3)
  void nor_where_the_sinks_of_the_nodes_are_gone() throws Exception {
    world.channel().queueDelete(PREFIX + ".sink.1");
    world.channel().queueDelete(PREFIX + ".sink.2");
    assertNobodyIsHeldUp();
  }

  @Test
  @Order(4)
  void nor_while_a_node_with_a_sink_is_dead() throws Exception {
    cluster.node(2).kill();
    assertNobodyIsHeldUp();
  }

  /** Messages that match nothing go through the very queues that the others go through. */
  private void assertNobodyIsHeldUp() throws Exception {
    try (Inbox inbox = new Inbox(cluster.node(0).connectionFactory(), "somebody")) {
      for (int i = 0; i < EACH; i++) {
        Duration delay = Duration.ofMillis(1_000 + 10 * (i % 50));
        DelayedMessage lost = DelayedMessage.to("nobody", "key").delay(delay);
        assertThat(Futures.get(publisher.publish(lost)).confirmed()).isTrue();
        DelayedMessage wanted = DelayedMessage.to("somebody", "key").delay(delay);
        assertThat(Futures.get(publisher.publish(wanted)).confirmed()).isTrue();
      }
      assertThat(inbox.await(EACH, Duration.ofSeconds(60))).hasSize(EACH);
    }
  }

  private List<String> sinks() {
    return cluster
        .node(0)
        .ctl("-q", "list_queues", "name", "pid")
        .lines()
        .filter(line -> line.startsWith(PREFIX + ".sink."))
        .sorted()
        .toList();
  }

  private static Address address(BrokerNode node) {
    return new Address(node.amqpUri().getHost(), node.amqpUri().getPort());
  }
}
