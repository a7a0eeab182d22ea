// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A broker that ends consumers with a message unanswered for 12 s. */
@Tag("wide")
class ConsumerTimeoutIT {
  private static final int AHEAD = 5;

  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.anyVersion()
          .with(
              options ->
                  options.withAdvancedConfig(
                      "[{rabbit,[{consumer_timeout,12000},{channel_tick_interval,500}]}]."));

  /** Each may wait for 4 s before it goes back: five in turn would make 20. */
  @Test
  void what_was_sent_ahead_does_not_wait_in_turn_to_be_held_again() throws Exception {
    try (TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = GuardIT.pool(database);
        GuardWorld world = new GuardWorld(BROKER::connectionFactory, pool)) {
      String queue = world.queue("early");
      world.publisher().close(); // so that nothing can be held again
      Instant due = Instant.now().plusSeconds(3_600);
      for (int i = 0; i < AHEAD; i++) {
        BasicProperties early = Copies.untracked("early-" + i, due, Map.of("x-delivery-count", 5L));
        world.channel().basicPublish("", queue, early, new byte[] {1});
      }
      Worker worker =
          world.worker(
              queue,
              GuardWorld.OPTIONS.toBuilder()
                  .prefetch(AHEAD)
                  .storePatience(Duration.ofSeconds(4))
                  .build(),
              delivery -> {});

      Awaitility.await()
          .during(Duration.ofSeconds(25))
          .atMost(Duration.ofSeconds(40))
          .until(() -> worker.consumer().isConsuming());

      assertThat(worker.events().all()).doesNotContain("stopped", "delivered");
      worker.close();
      Awaitility.await().until(() -> world.waiting(queue) == AHEAD);
    }
  }
}
