// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static io.pocketwatch.it.guard.GuardWorld.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Consumers that die, lose their connection, take long, or fail. */
interface ConsumerFaultTests extends GuardSetup {

  @Test
  default void what_a_dead_consumer_left_is_handled_when_its_lease_is_over() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("dead");
    world.publisher(tracked("", queue));
    CountDownLatch release = new CountDownLatch(1);
    Worker dying =
        world.worker(queue, delivery -> assertThat(release.await(20, TimeUnit.SECONDS)).isTrue());
    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300))));
    dying.await(1);
    dying.die();
    Worker next = world.worker(queue, delivery -> {});

    next.events().await("skipped BUSY");
    world.awaitState(key, MessageState.SETTLED);

    assertThat(next.handled()).hasSize(1);
    assertThat(next.handled().get(0).at())
        .as("the lease was taken when it was due, or later")
        .isAfterOrEqualTo(world.find(key).deliverAt().plus(GuardWorld.LEASE).minusMillis(50));
    release.countDown(); // a zombie's settle changes nothing
    dying.events().await("overtaken");
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void settled_work_is_not_repeated_when_its_acknowledgement_is_lost() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("unacked");
    world.publisher(tracked("", queue));
    AtomicReference<Worker> self = new AtomicReference<>();
    Worker first = world.worker(queue, delivery -> self.get().loseConnection());
    self.set(first);
    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(500))));

    world.awaitState(key, MessageState.SETTLED);
    Worker next = world.worker(queue, delivery -> {});

    next.events().await("skipped SETTLED");
    assertThat(first.handled()).hasSize(1);
    assertThat(next.handled()).isEmpty();
  }

  @Test
  default void what_is_early_and_cannot_be_held_again_is_rejected() throws Exception {
    GuardWorld world = world();
    String rejected = world.queue("rejected");
    String queue =
        world.queue(
            "unholdable",
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", rejected));
    world.publisher(tracked("", queue));
    Worker worker = world.worker(queue, delivery -> {});
    Map<String, Object> forged =
        Map.of(
            Headers.DELIVER_AT,
            System.currentTimeMillis() + 3_600_000,
            "large",
            "x".repeat(129_700));
    world
        .channel()
        .basicPublish(
            "", queue, new BasicProperties.Builder().headers(forged).build(), new byte[0]);

    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> world.waiting(queue) == 0 && world.channel().basicGet(rejected, true) != null);
    assertThat(worker.handled()).isEmpty();
  }

  @Test
  default void a_second_copy_is_skipped_while_the_first_is_handled() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("slow");
    world.publisher(tracked("", queue));
    CountDownLatch release = new CountDownLatch(1);
    Worker slow =
        world.worker(
            queue,
            GuardWorld.OPTIONS.toBuilder().prefetch(1).build(),
            delivery -> assertThat(release.await(20, TimeUnit.SECONDS)).isTrue());
    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300))));
    slow.await(1);
    Worker other = world.worker(queue, delivery -> {});

    world.channel().basicPublish("", queue, Copies.tracked(queue, key.id(), 1), new byte[0]);

    other.events().await("skipped BUSY");
    release.countDown();
    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(queue, 0);
    assertThat(slow.handled()).hasSize(1);
    assertThat(other.handled()).isEmpty();
  }

  @Test
  default void what_always_fails_is_one_dead_letter_and_recorded_as_failed() throws Exception {
    GuardWorld world = world();
    String dead = world.queue("dead-letters");
    String queue =
        world.queue(
            "failing", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    world.publisher(tracked("", queue));
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              throw new IllegalStateException("no such customer");
            });

    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300))));

    assertThat(world.awaitState(key, MessageState.FAILED).reason()).contains("no such customer");
    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> world.waiting(dead) == 1);
    assertThat(world.waiting(queue)).isZero();
    assertThat(worker.handled()).hasSize(1);
    assertThat(worker.events().all()).containsExactly("delivered", "failed");
  }

  /** Neither queue drops it, as neither counts these returns: without a pause it would spin. */
  @Test
  default void what_always_fails_and_is_requeued_comes_back_after_a_pause() throws Exception {
    GuardWorld world = world();
    String classic = world.queue("spinning-classic", Map.of("x-queue-type", "classic"));
    String quorum = world.queue("spinning-quorum", Map.of("x-queue-type", "quorum"));
    world.publisher(tracked("", classic), tracked("", quorum));
    List<Worker> workers = new ArrayList<>();
    for (String queue : List.of(classic, quorum)) {
      workers.add(
          world.worker(
              queue,
              GuardWorld.OPTIONS.toBuilder().requeueFailed(true).build(),
              delivery -> {
                throw new IllegalStateException("no such customer");
              }));
      world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300)));
    }

    for (Worker worker : workers) {
      worker.await(3);
      List<Worker.Handled> handled = worker.handled();
      assertThat(handled.get(1).delivery().envelope().isRedeliver()).isTrue();
      assertThat(handled.get(2).at()).isAfter(handled.get(1).at().plusSeconds(9));
    }
  }

  @Test
  default void what_failed_is_handled_when_the_users_retry_brings_it_back() throws Exception {
    GuardWorld world = world();
    String queue = world.name("retried");
    String retry =
        world.queue(
            "retry",
            Map.of(
                "x-dead-letter-exchange",
                "",
                "x-dead-letter-routing-key",
                queue,
                "x-message-ttl",
                200));
    world.queue(
        "retried", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", retry));
    world.publisher(tracked("", queue));
    CountDownLatch attempts = new CountDownLatch(3);
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              attempts.countDown();
              if (attempts.getCount() > 0) {
                throw new IllegalStateException("not yet");
              }
            });

    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300))));

    world.awaitState(key, MessageState.SETTLED);
    assertThat(worker.handled()).hasSize(3);
  }
}
