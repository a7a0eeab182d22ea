// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** A broker is down, its clock is set an hour forward, and it starts again. */
@Tag("wide")
class BrokerClockIT {
  private static final Duration LONGER_THAN_THE_RESTART = Duration.ofSeconds(45);

  @Test
  void what_is_untracked_comes_early_and_the_guard_holds_the_rest_again() throws Exception {
    try (BrokerNode node = settable();
        TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = GuardIT.pool(database);
        GuardWorld world = new GuardWorld(node::connectionFactory, pool)) {
      String tracked = world.queue("tracked");
      String plain = world.queue("plain");
      DelayedPublisher publisher =
          world.publisher(
              GuardWorld.handedOff(tracked).toBuilder()
                  .strategy(DelayStrategy.QUEUE_WHEEL)
                  .build());
      assertThat(publisher.status().brokerClock().map(BrokerClock::isWrong)).contains(false);
      Instant due = Instant.now().plus(LONGER_THAN_THE_RESTART);
      MessageKey key = world.held(DelayedMessage.toQueue(tracked).deliverAt(due));
      world.publish(DelayedMessage.toQueue(plain).deliverAt(due));

      node.kill();
      node.setClock(Duration.ofHours(1));
      node.start();

      awaitIn(node, plain);
      assertThat(Instant.now()).isBefore(due);
      Awaitility.await("the probe of the new connection")
          .atMost(Duration.ofSeconds(30))
          .until(() -> publisher.status().brokerClock().orElseThrow().isWrong());
      Worker worker = world.worker(tracked, delivery -> {});
      worker.events().await("held again");

      Awaitility.await("what was held again")
          .atMost(LONGER_THAN_THE_RESTART.plusSeconds(20))
          .until(() -> world.find(key).state() == MessageState.SETTLED);
      assertThat(worker.handled()).hasSize(1);
      assertThat(worker.handled().get(0).at())
          .isAfterOrEqualTo(due.minus(GuardWorld.OPTIONS.earlyTolerance()));
    }
  }

  private static void awaitIn(BrokerNode node, String queue) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection("early");
        Channel channel = connection.createChannel()) {
      GetResponse early =
          Awaitility.await("what comes early")
              .atMost(Duration.ofSeconds(30))
              .until(() -> channel.basicGet(queue, true), Objects::nonNull);
      assertThat(early.getProps().getHeaders()).containsKey("x-death");
    }
  }

  private static BrokerNode settable() {
    try {
      return LocalBroker.find(
          LocalBrokerOptions.defaults()
              .withVersion("4.3")
              .withPlugins(List.of())
              .withSettableClock(true));
    } catch (BrokerUnavailableException e) {
      System.err.println("### NOT RUN: no broker whose clock can be set: " + e.getMessage());
      throw new TestAbortedException(e.getMessage(), e);
    }
  }
}
