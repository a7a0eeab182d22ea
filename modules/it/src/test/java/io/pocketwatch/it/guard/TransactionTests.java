// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static io.pocketwatch.it.guard.GuardWorld.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Handlers that settle in the transaction of their effect. */
interface TransactionTests extends GuardSetup {

  @Test
  default void the_effect_happens_once_although_the_copy_arrives_twice() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("twice");
    world.publisher(tracked("", queue));
    createEffects();
    MessageKey key =
        world.arrived(queue, DelayedMessage.toQueue(queue).delay(Duration.ofMillis(800)));
    world.channel().basicPublish("", queue, Copies.tracked(queue, key.id(), 1), new byte[0]);
    Worker first = world.worker(queue, delivery -> handle(world, delivery));
    Worker second = world.worker(queue, delivery -> handle(world, delivery));

    world.awaitState(key, MessageState.SETTLED);
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> skipped(first) + skipped(second) == 1);
    assertThat(effects(key)).isEqualTo(1);
    assertThat(first.handled().size() + second.handled().size()).isEqualTo(1);
  }

  /** The lease of the first ran out and the work was done elsewhere: its own does not happen. */
  @Test
  default void a_handler_that_was_overtaken_rolls_back_and_fails_nothing() throws Exception {
    GuardWorld world = world();
    String dead = world.queue("overtaken-dead");
    String queue =
        world.queue(
            "overtaken", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    world.publisher(tracked("", queue));
    createEffects();
    CountDownLatch release = new CountDownLatch(1);
    Worker first =
        world.worker(
            queue,
            GuardWorld.OPTIONS.toBuilder().prefetch(1).build(),
            delivery -> {
              assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
              handle(world, delivery);
            });
    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(800))));
    first.await(1);
    first.guard().close(); // as if it could not reach the store: the lease is not renewed
    Worker second = world.worker(queue, delivery -> handle(world, delivery));

    world.channel().basicPublish("", queue, Copies.tracked(queue, key.id(), 1), new byte[0]);
    world.awaitState(key, MessageState.SETTLED);
    release.countDown();

    first.events().await("failed");
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                first.events().count("skipped SETTLED") + second.events().count("skipped SETTLED")
                    >= 1);
    assertThat(effects(key)).isEqualTo(1);
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
    assertThat(world.waiting(dead)).isZero();
  }

  /** The answer to the commit is lost: the handler fails although its work is done. */
  @Test
  default void a_commit_whose_answer_is_lost_is_no_failure() throws Exception {
    GuardWorld world = world();
    String dead = world.queue("lost-dead");
    String queue =
        world.queue(
            "lost", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    world.publisher(tracked("", queue));
    createEffects();
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              handle(world, delivery);
              throw new SQLException("the connection was reset");
            });

    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(800))));

    worker.events().await("settled");
    assertThat(effects(key)).isEqualTo(1);
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
    assertThat(world.waiting(dead)).isZero();
    assertThat(worker.handled()).hasSize(1);
  }

  private static long skipped(Worker worker) {
    return worker.events().count("skipped SETTLED") + worker.events().count("skipped BUSY");
  }

  private static void handle(GuardWorld world, GuardedDelivery delivery) throws SQLException {
    Handling handling = delivery.handling().orElseThrow();
    try (Connection connection = world.database().getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effects (message) VALUES (?)")) {
        insert.setString(1, handling.key().toString());
        insert.executeUpdate();
        delivery.settleIn(connection);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private void createEffects() throws SQLException {
    try (Connection connection = world().database().getConnection();
        Statement statement = connection.createStatement()) {
      synchronized (TransactionTests.class) { // two at once would both find that it is not there
        // The key makes a second effect an error; the settling has to prevent it before.
        statement.execute("CREATE TABLE IF NOT EXISTS effects (message VARCHAR(400) PRIMARY KEY)");
      }
    }
  }

  private int effects(MessageKey key) throws SQLException {
    try (Connection connection = world().database().getConnection();
        PreparedStatement count =
            connection.prepareStatement("SELECT COUNT(*) FROM effects WHERE message = ?")) {
      count.setString(1, key.toString());
      try (ResultSet result = count.executeQuery()) {
        result.next();
        return result.getInt(1);
      }
    }
  }
}
