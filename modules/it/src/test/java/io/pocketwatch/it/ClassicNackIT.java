// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node nacks what it has sent, or is to send, to a classic queue of another node that is dead.
 */
@Tag("wide")
class ClassicNackIT {
  private static final int IN_FLIGHT = 50;
  private static final int STORED = 10;
  private static final Duration DELAY = Duration.ofSeconds(80);

  private BrokerCluster cluster;
  private World world;

  @BeforeEach
  void open() throws Exception {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withVersion(SharedNodes.NEWEST)
            .withControllable(true)
            .withPlugins(List.of());
    cluster = LocalBroker.cluster(options, 3);
    world = new World(cluster.node(0), "nacked");
    world.exchange("nacked", BuiltinExchangeType.DIRECT);
    world.queue("nacked", Map.of("x-queue-type", "quorum"));
    world.channel().queueBind("nacked", "nacked", "key");
    world.channel().queueBind("nacked", "nacked", "passes");
    try (World elsewhere = new World(cluster.node(2), "nacked")) {
      elsewhere.publisher(classic(world.routes())); // so that the wheel is on its node
    }
  }

  private static DelayRoutes classic(DelayRoutes routes) {
    return routes.toBuilder()
        .hold(
            routes.hold().toBuilder()
                .wheel(
                    World.SMALL_WHEEL.toBuilder().queues(HoldQueues.classicAcceptingLoss()).build())
                .build())
        .build();
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    cluster.close();
  }

  @Test
  void what_a_dead_node_may_have_taken_is_uncertain() throws Exception {
    DelayedPublisher publisher = world.publisher(classic(world.routes()));
    DelayedMessage message = DelayedMessage.to("nacked", "key").delay(DELAY);
    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);

    cluster.node(2).pause();
    List<CompletableFuture<PublishReceipt>> futures = new ArrayList<>();
    for (int i = 0; i < IN_FLIGHT; i++) {
      futures.add(publisher.publish(message));
    }
    Awaitility.await("sent to the node")
        .during(Duration.ofMillis(500))
        .until(() -> futures.stream().noneMatch(CompletableFuture::isDone));
    cluster.node(2).kill();
    List<PublishReceipt> receipts = Futures.getAll(futures);

    assertThat(Futures.outcomes(receipts)).doesNotContain(REJECTED).contains(UNCERTAIN);
    assertThat(receipts).anyMatch(receipt -> receipt.detail().contains("basic.nack"));
  }

  @Test
  void a_loader_parks_none_of_them_and_takes_them_to_the_node_when_it_is_back() throws Exception {
    try (StoreWorld database = new StoreWorld()) {
      DelayRoute passing =
          DelayRoute.builder("passes")
              .exchange("nacked")
              .routingKey("passes")
              .strategy(DelayStrategy.TEMPORARY_QUEUE)
              .tracking(Tracking.FULL)
              .build();
      DelayRoutes routes =
          classic(world.routes()).toBuilder()
              .route(
                  DelayRoute.builder("nacked").exchange("nacked").tracking(Tracking.FULL).build())
              .route(passing)
              .loader(LoaderOptions.builder().sweep(Duration.ofMillis(500)).build())
              .build();
      TrackedPublisher publisher = world.publisher(routes, database.store());
      Loader loader = new Loader(publisher);
      List<MessageKey> waiting = new ArrayList<>();
      cluster.node(2).kill();
      for (int i = 0; i < STORED; i++) {
        waiting.add(stored(publisher, "key"));
        stored(publisher, "passes");
      }

      for (int i = 0; i < 3; i++) {
        loader.runOnce();
        assertThat(waiting).allMatch(key -> state(database, key) == MessageState.PENDING);
      }
      cluster.node(2).start();

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                loader.runOnce();
                return waiting.stream().allMatch(key -> state(database, key) == MessageState.HELD);
              });
    }
  }

  private static MessageKey stored(TrackedPublisher publisher, String key) {
    PublishReceipt receipt =
        Futures.get(publisher.publish(DelayedMessage.to("nacked", key).delay(DELAY)));
    assertThat(receipt.outcome()).as("%s", receipt).isEqualTo(CONFIRMED);
    return new MessageKey(receipt.route(), receipt.id());
  }

  private static MessageState state(StoreWorld database, MessageKey key) {
    return database.store().find(key).orElseThrow().state();
  }
}
