// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.HoldQueues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node nacks what it has sent to a classic queue of another node when that one dies. */
@Tag("wide")
class ClassicNackIT {
  private static final int IN_FLIGHT = 50;

  @Test
  void what_a_dead_node_may_have_taken_is_uncertain() throws Exception {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withVersion(SharedNodes.NEWEST)
            .withControllable(true)
            .withPlugins(List.of());
    try (BrokerCluster cluster = LocalBroker.cluster(options, 3);
        World world = new World(cluster.node(0), "nacked");
        World elsewhere = new World(cluster.node(2), "nacked")) {
      world.exchange("nacked", BuiltinExchangeType.DIRECT);
      world.queue("nacked", Map.of("x-queue-type", "quorum"));
      world.channel().queueBind("nacked", "nacked", "key");
      DelayRoutes routes =
          world
              .routes()
              .withHold(
                  world
                      .routes()
                      .hold()
                      .withWheel(World.SMALL_WHEEL.withQueues(HoldQueues.classicAcceptingLoss())));
      elsewhere.publisher(routes); // so that the hold queues are on its node
      DelayedPublisher publisher = world.publisher(routes);
      DelayedMessage message = DelayedMessage.to("nacked", "key").delay(Duration.ofSeconds(60));
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
  }
}
