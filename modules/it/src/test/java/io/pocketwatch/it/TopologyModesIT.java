// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Publishers that may not declare: {@code topology: verify} and {@code assume}. */
class TopologyModesIT {
  private static final DelayedMessage MESSAGE =
      DelayedMessage.to("modes", "key").delay(Duration.ofMillis(300));
  private static final Duration TTL = Duration.ofMillis(500);

  /** A TTL queue would be late by what passes before it is sent; the wheel takes it after 10 ms. */
  private static PublishReceipt ttl(DelayedPublisher publisher) {
    PublishReceipt receipt = Futures.get(publisher.publish(MESSAGE.delay(TTL)));
    for (int tries = 1; tries < 5 && receipt.strategy() == DelayStrategy.QUEUE_WHEEL; tries++) {
      receipt = Futures.get(publisher.publish(MESSAGE.delay(TTL)));
    }
    return receipt;
  }

  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void verify_needs_write_permission_on_our_names_only(String version) throws Exception {
    try (World world = new World(SharedNodes.of(version), "modes-verify")) {
      world.target("modes");
      ConnectionFactory publishOnly = publishOnlyUser(world.node(), "modes-verify");
      world.publisher(routes(world, TopologyMode.DECLARE));
      // The one binding a destination needs, as an administrator makes it.
      world.channel().exchangeBind("modes", world.ours("deliver"), "pw-to-modes");

      DelayedPublisher publisher = world.publisher(publishOnly, routes(world, TopologyMode.VERIFY));
      PublishReceipt wheel = Futures.get(publisher.publish(MESSAGE));
      PublishReceipt ttl = ttl(publisher);

      assertThat(wheel.outcome()).as("%s", wheel).isEqualTo(CONFIRMED);
      assertThat(ttl.outcome()).as("%s", ttl).isEqualTo(CONFIRMED);
      assertThat(ttl.strategy()).isEqualTo(DelayStrategy.TTL_QUEUE);
      Inbox inbox = world.inbox("modes");
      Awaitility.await().until(() -> inbox.ids().containsAll(List.of(wheel.id(), ttl.id())));
      assertThat(
              Futures.failure(publisher.publish(MESSAGE.strategy(DelayStrategy.TEMPORARY_QUEUE))))
          .as("a temporary queue is a declaration")
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining("topology: verify");
      assertThat(publisher.status().strategies().contains(DelayStrategy.TEMPORARY_QUEUE)).isFalse();
      assertThat(publisher.status().strategies().contains(DelayStrategy.STORE))
          .as("it has no store")
          .isFalse();
      assertThat(publisher.status().strategies().contains(DelayStrategy.QUEUE_WHEEL)).isTrue();
      assertThat(Futures.get(publisher.publish(MESSAGE)).outcome()).isEqualTo(CONFIRMED);
    }
  }

  /** Straight to the target it would be refused, by a channel closed under the others. */
  @Test
  void what_falls_due_before_it_is_sent_takes_the_way_that_was_prepared() throws Exception {
    try (World world = new World(SharedNodes.of(SharedNodes.NEWEST), "modes-due")) {
      world.target("modes.due");
      world.publisher(routes(world, TopologyMode.DECLARE));
      world.channel().exchangeBind("modes.due", world.ours("deliver"), "pw-to-modes~2edue");
      ConnectionFactory publishOnly = publishOnlyUser(world.node(), "modes-due");
      DelayRoutes routes = routes(world, TopologyMode.VERIFY);
      DelayedPublisher publisher =
          world.publisher(
              publishOnly,
              routes.toBuilder()
                  .publisher(routes.publisher().toBuilder().maxInFlight(1).build())
                  .build());
      DelayedMessage soon = DelayedMessage.to("modes.due", "key").delay(Duration.ofMillis(20));

      List<CompletableFuture<PublishReceipt>> futures = new ArrayList<>();
      for (int i = 0; i < 20; i++) { // each but the first has waited for its place until it was due
        futures.add(publisher.publish(soon).whenComplete((receipt, error) -> awaitDue(receipt)));
      }
      List<PublishReceipt> receipts = Futures.getAll(futures);

      assertThat(Futures.outcomes(receipts)).containsOnly(CONFIRMED);
      assertThat(world.inbox("modes.due").await(20, Duration.ofSeconds(10)))
          .extracting(Inbox.Arrival::id)
          .containsExactlyInAnyOrderElementsOf(receipts.stream().map(PublishReceipt::id).toList());
    }
  }

  /** On the callback thread, so that the place stays taken. */
  private static void awaitDue(PublishReceipt receipt) {
    Instant until = receipt.deliverAt().plusMillis(30);
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> Instant.now().isAfter(until));
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
      world.target("assumed"); // a copy for "modes" may still be under way from another test
      DelayedMessage message = DelayedMessage.to("assumed", "key").delay(Duration.ofMillis(300));
      DelayedPublisher publisher = world.publisher(routes(world, TopologyMode.ASSUME));
      PublishReceipt missing = Futures.get(publisher.publish(message));
      assertThat(missing.confirmed()).isFalse();
      assertThat(missing.cause()).isEqualTo(Cause.NO_EXCHANGE);
      assertThat(missing.detail()).contains("NOT_FOUND").contains("modes-assume.wheel");

      world.publisher(routes(world, TopologyMode.DECLARE));
      world.channel().exchangeBind("assumed", world.ours("deliver"), "pw-to-assumed");
      PublishReceipt there = Futures.get(publisher.publish(message));
      assertThat(there.outcome()).as("%s", there).isEqualTo(CONFIRMED);
      assertThat(world.inbox("assumed").awaitOne().id()).isEqualTo(there.id());
    }
  }

  /** Each message to it would close the channel of others. */
  @Test
  void assume_leaves_a_missing_target_alone_for_a_while() throws Exception {
    try (World world = new World(SharedNodes.of(SharedNodes.NEWEST), "modes-missing")) {
      DelayedPublisher publisher = world.publisher(routes(world, TopologyMode.ASSUME));
      DelayedMessage due = DelayedMessage.to("modes.none", "key");

      PublishReceipt first = Futures.get(publisher.publish(due));

      assertThat(first.outcome()).as("%s", first).isEqualTo(UNCERTAIN);
      assertThat(first.cause()).isEqualTo(Cause.NO_EXCHANGE);
      assertThat(Futures.failure(publisher.publish(due)))
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("exchange 'modes.none'");
    }
  }

  private static DelayRoutes routes(World world, TopologyMode mode) {
    return world.routes().toBuilder()
        .hold(world.routes().hold().toBuilder().topology(mode).build())
        .defaults(DelayRoute.defaults().toBuilder().delays(TTL).build())
        .build();
  }

  private static ConnectionFactory publishOnlyUser(BrokerNode node, String prefix) {
    node.ctl("add_user", prefix + "-user", "secret");
    node.ctl("set_permissions", prefix + "-user", "^$", "^" + prefix + "\\.", "^$");
    ConnectionFactory factory = node.connectionFactory();
    factory.setUsername(prefix + "-user");
    factory.setPassword("secret");
    return factory;
  }
}
