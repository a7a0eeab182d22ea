// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.route.DelayRoute;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.TopologyMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers that may not declare: {@code topology: verify} and {@code assume}. */
class TopologyModesIT {
  private static final DelayedMessage MESSAGE =
      DelayedMessage.to("modes", "key").delay(Duration.ofMillis(300));

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void verify_needs_write_permission_on_our_names_only(String version) throws Exception {
    try (World world = new World(SharedNodes.of(version), "modes-verify")) {
      world.target("modes");
      ConnectionFactory publishOnly = publishOnlyUser(world.node());
      world.publisher(routes(world, TopologyMode.DECLARE));
      // The one binding a destination needs, as an administrator makes it.
      world.channel().exchangeBind("modes", world.ours("deliver"), "pw-to-modes");

      DelayedPublisher publisher = world.publisher(publishOnly, routes(world, TopologyMode.VERIFY));
      PublishReceipt wheel = Futures.get(publisher.publish(MESSAGE));
      PublishReceipt ttl = Futures.get(publisher.publish(MESSAGE.delay(Duration.ofMillis(500))));

      assertThat(wheel.outcome()).as("%s", wheel).isEqualTo(CONFIRMED);
      assertThat(ttl.outcome()).as("%s", ttl).isEqualTo(CONFIRMED);
      assertThat(ttl.strategy()).isEqualTo(DelayStrategy.TTL_QUEUE);
      assertThat(world.inbox("modes").await(2, Duration.ofSeconds(10)))
          .extracting(Inbox.Arrival::id)
          .containsExactly(wheel.id(), ttl.id());
      assertThat(
              Futures.failure(publisher.publish(MESSAGE.strategy(DelayStrategy.TEMPORARY_QUEUE))))
          .as("a temporary queue is a declaration")
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining("topology: verify");
      assertThat(Futures.get(publisher.publish(MESSAGE)).outcome()).isEqualTo(CONFIRMED);
    }
  }

  @Test
  void verify_names_what_is_missing() throws Exception {
    try (World world = World.of(TopologyModesIT.class)) {
      DelayRoutes routes = routes(world, TopologyMode.VERIFY);
      assertThatThrownBy(() -> world.publisher(routes))
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("topology: verify")
          .hasMessageContaining("'TopologyModesIT.release'")
          .hasMessageContaining("and more");

      world.publisher(routes(world, TopologyMode.DECLARE));
      world.publisher(routes);
      world.channel().queueDelete(world.ours("wheel.quorum.1s.4"));
      world.channel().exchangeDelete(world.ours("out-deliver"));
      assertThatThrownBy(() -> world.publisher(routes))
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("2 of ours")
          .hasMessageContaining("'TopologyModesIT.wheel.quorum.1s.4'")
          .hasMessageContaining("'TopologyModesIT.out-deliver'");
      world.publisher(routes(world, TopologyMode.DECLARE));
      world.publisher(routes);
    }
  }

  /** AMQP cannot show bindings: without the administrator's, a message is parked, not lost. */
  @Test
  void verify_without_the_binding_of_a_destination_parks() throws Exception {
    try (World world = new World(SharedNodes.of(SharedNodes.NEWEST), "modes-unbound")) {
      world.target("modes");
      world.publisher(routes(world, TopologyMode.DECLARE));
      world.channel().queuePurge(world.ours("unroutable"));
      DelayedPublisher publisher = world.publisher(routes(world, TopologyMode.VERIFY));

      PublishReceipt receipt = Futures.get(publisher.publish(MESSAGE));

      assertThat(receipt.outcome()).isEqualTo(CONFIRMED);
      assertThat(world.inbox(world.ours("unroutable")).awaitOne().id()).isEqualTo(receipt.id());
      assertThat(
              Futures.failure(
                  publisher.publish(
                      DelayedMessage.to("modes.none", "key").delay(Duration.ofSeconds(1)))))
          .isInstanceOf(UnknownTargetException.class)
          .hasMessageContaining("exchange 'modes.none'");
    }
  }

  @Test
  void assume_asks_nothing_and_publishing_tells() throws Exception {
    try (World world = new World(SharedNodes.of(SharedNodes.NEWEST), "modes-assume")) {
      world.target("modes");
      DelayedPublisher publisher = world.publisher(routes(world, TopologyMode.ASSUME));
      PublishReceipt missing = Futures.get(publisher.publish(MESSAGE));
      assertThat(missing.confirmed()).isFalse();
      assertThat(missing.detail()).contains("NOT_FOUND").contains("modes-assume.wheel");

      world.publisher(routes(world, TopologyMode.DECLARE));
      world.channel().exchangeBind("modes", world.ours("deliver"), "pw-to-modes");
      PublishReceipt there = Futures.get(publisher.publish(MESSAGE));
      assertThat(there.outcome()).as("%s", there).isEqualTo(CONFIRMED);
      assertThat(world.inbox("modes").awaitOne().id()).isEqualTo(there.id());
    }
  }

  private static DelayRoutes routes(World world, TopologyMode mode) {
    return world
        .routes()
        .withHold(world.routes().hold().withTopology(mode))
        .withDefaults(DelayRoute.defaults().withDelays(Duration.ofMillis(500)));
  }

  private static ConnectionFactory publishOnlyUser(BrokerNode node) {
    node.ctl("add_user", "publish-only", "secret");
    node.ctl("set_permissions", "publish-only", "^$", "^modes-verify\\.", "^$");
    ConnectionFactory factory = node.connectionFactory();
    factory.setUsername("publish-only");
    factory.setPassword("secret");
    return factory;
  }
}
