// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.localbroker.NetworkProxy;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A load balancer has forgotten the connections, and tells nobody. They end by their heartbeat,
 * also where the factory asks for none or for a long one.
 */
@Tag("ci")
@Execution(ExecutionMode.CONCURRENT)
class ForgottenConnectionIT {
  /** Two heartbeats of at most 10 s, then a new connection. */
  private static final Duration PATIENCE = Duration.ofSeconds(35);

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 60})
  void a_publisher_gets_another_one_and_loses_nothing_that_was_confirmed(int heartbeat)
      throws Exception {
    try (World world = new World(SharedNodes.of(SharedNodes.NEWEST), "forgotten-" + heartbeat);
        NetworkProxy proxy = NetworkProxy.to(world.node().amqpUri())) {
      DelayedPublisher publisher =
          world.publisher(through(proxy, world, heartbeat), world.routes());
      DelayedMessage message = DelayedMessage.to(world.target(world.ours("target")), "key");
      assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);

      proxy.forget();
      Set<String> confirmed = new TreeSet<>();
      PublishReceipt first = Futures.get(publisher.publish(message));
      assertThat(first.outcome()).isEqualTo(UNCERTAIN);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> isConfirmed(Futures.get(publisher.publish(message)), confirmed));

      Inbox inbox = world.inbox(world.ours("target"));
      Awaitility.await().until(() -> inbox.ids().containsAll(confirmed));
      assertThat(inbox.ids()).as("it was dropped on its way").doesNotContain(first.id());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 60})
  void what_the_broker_is_asked_beside_is_answered_again(int heartbeat) throws Exception {
    try (World world = new World(SharedNodes.of(SharedNodes.NEWEST), "asked-" + heartbeat);
        NetworkProxy proxy = NetworkProxy.to(world.node().amqpUri())) {
      DelayedPublisher publisher =
          world.publisher(through(proxy, world, heartbeat), world.routes());
      DelayedMessage message =
          DelayedMessage.to(world.target(world.ours("target")), "key")
              .delay(Duration.ofMinutes(10))
              .strategy(DelayStrategy.TEMPORARY_QUEUE);
      PublishReceipt held = Futures.get(publisher.publish(message));
      assertThat(held.outcome()).isEqualTo(CONFIRMED);

      proxy.forget();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> Futures.get(publisher.cancel(held)) == ChangeOutcome.DONE);
    }
  }

  private static boolean isConfirmed(PublishReceipt receipt, Set<String> confirmed) {
    PublishOutcome outcome = receipt.outcome();
    assertThat(outcome).isIn(CONFIRMED, UNCERTAIN, REJECTED);
    if (outcome == CONFIRMED) {
      confirmed.add(receipt.id());
    }
    return outcome == CONFIRMED;
  }

  private static ConnectionFactory through(NetworkProxy proxy, World world, int heartbeat) {
    ConnectionFactory factory = world.node().connectionFactory();
    factory.setHost(proxy.host());
    factory.setPort(proxy.port());
    factory.setRequestedHeartbeat(heartbeat);
    return factory;
  }
}
