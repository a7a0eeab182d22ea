// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Queues that drop what was returned more than once or twice. On a broker that counts every return;
 * 4.3 does not count those of a consumer that asks for requeueing.
 */
@Tag("wide")
class FewReturnsIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

  private static final Map<String, Object> FEW_RETURNS =
      Map.of("x-queue-type", "quorum", "x-delivery-limit", 2);

  @Test
  void a_handler_that_keeps_failing_loses_nothing() throws Exception {
    try (TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = GuardIT.pool(database);
        GuardWorld world = new GuardWorld(BROKER::connectionFactory, pool)) {
      String queue =
          world.queue("failing", Map.of("x-queue-type", "quorum", "x-delivery-limit", 1));
      world.publisher(GuardWorld.tracked("", queue));
      AtomicInteger failures = new AtomicInteger();
      Worker worker =
          world.worker(
              queue,
              GuardWorld.OPTIONS.toBuilder().requeueFailed(true).build(),
              delivery -> assertThat(failures.incrementAndGet()).isGreaterThan(2));
      MessageKey key =
          GuardWorld.key(
              world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300))));

      world.awaitState(key, MessageState.SETTLED);

      assertThat(worker.handled()).hasSize(3);
    }
  }

  /** Three seconds each time it comes, though ten might have been sent ahead: none of them was. */
  @Test
  void what_cannot_be_held_again_does_not_come_back_faster_and_faster() throws Exception {
    try (TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = GuardIT.pool(database);
        GuardWorld world = new GuardWorld(BROKER::connectionFactory, pool)) {
      String dead = world.queue("dropped");
      String queue =
          world.queue(
              "early",
              Map.of(
                  "x-queue-type",
                  "quorum",
                  "x-delivery-limit",
                  8,
                  "x-dead-letter-exchange",
                  "",
                  "x-dead-letter-routing-key",
                  dead));
      world.publisher().close(); // so that nothing can be held again
      Worker worker =
          world.worker(
              queue,
              GuardWorld.OPTIONS.toBuilder()
                  .prefetch(10)
                  .storePatience(Duration.ofSeconds(3))
                  .build(),
              delivery -> {});
      Instant due = Instant.now().plusSeconds(3_600);
      world
          .channel()
          .basicPublish("", queue, Copies.untracked("early", due, Map.of()), new byte[] {1});

      Awaitility.await()
          .during(Duration.ofSeconds(12))
          .atMost(Duration.ofSeconds(20))
          .until(() -> world.waiting(dead) == 0);

      worker.close();
      Awaitility.await().until(() -> world.waiting(queue) == 1);
    }
  }

  @Test
  void messages_wait_for_a_store_that_is_away_and_none_is_dropped() throws Exception {
    try (TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = GuardIT.pool(database);
        GuardWorld world = new GuardWorld(BROKER::connectionFactory, pool)) {
      StoreDownTests.waitThrough(world, FEW_RETURNS, StoreDownTests.IMPATIENT, 5);
    }
  }
}
