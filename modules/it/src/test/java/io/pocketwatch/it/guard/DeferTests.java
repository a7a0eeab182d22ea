// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static io.pocketwatch.it.guard.GuardWorld.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Messages that their consumer puts off, or that are tried again after a failure. */
interface DeferTests extends GuardSetup {
  Duration SHORT = Duration.ofMillis(300);
  Duration PAUSE = Duration.ofMillis(1_200);

  @Test
  default void what_is_deferred_comes_again_then_and_counts_its_attempts() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("deferred");
    world.publisher(tracked("", queue));
    Queue<Instant> until = new ConcurrentLinkedQueue<>();
    AtomicReference<DeliveryGuard> guard = new AtomicReference<>();
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              if (delivery.attempt() < 3) {
                until.add(guard.get().now().plus(PAUSE));
                delivery.defer(until.stream().skip(delivery.attempt() - 1).findFirst().get());
              }
            });
    guard.set(worker.guard());

    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(SHORT)));
    worker.events().await("deferred 2");
    StoredMessage waiting =
        Awaitility.await().until(() -> world.find(key), row -> row.reason() != null);
    world.awaitState(key, MessageState.SETTLED);
    worker.events().await("settled"); // told after it is so

    assertThat(waiting.state()).isIn(MessageState.PENDING, MessageState.HELD);
    assertThat(waiting.reason()).isEqualTo("deferred by its consumer");
    List<Worker.Handled> handled = worker.handled();
    assertThat(handled).extracting(one -> one.delivery().attempt()).containsExactly(1, 2, 3);
    assertThat(handled).extracting(Worker.Handled::id).containsOnly(key.id());
    assertThat(handled.get(2).delivery().properties().getHeaders())
        .containsEntry(Headers.ATTEMPTS, 2)
        .doesNotContainKeys("x-death", Headers.DEFERRED_UNTIL, Headers.ROUTING_KEY);
    Instant[] instants = until.toArray(new Instant[0]);
    assertThat(handled.get(1).at()).isAfterOrEqualTo(instants[0].minus(tolerance()));
    assertThat(handled.get(2).at()).isAfterOrEqualTo(instants[1].minus(tolerance()));
    assertThat(worker.events().all())
        .filteredOn(event -> !event.startsWith("held again")) // where clocks differ a little
        .containsExactly(
            "delivered", "deferred 2", "delivered", "deferred 3", "delivered", "settled");
  }

  @Test
  default void what_was_never_delayed_is_deferred_and_comes_as_it_was_sent() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("foreign");
    String exchange = world.exchange("orders", queue);
    world.publisher();
    Worker worker = world.worker(queue, DeferTests::once);
    BasicProperties sent =
        new BasicProperties.Builder()
            .messageId("same-for-all")
            .headers(Map.of("tenant", 7))
            .build();

    Instant before = Instant.now();
    world.channel().basicPublish(exchange, "order.paid", sent, new byte[] {5});
    world.channel().basicPublish(exchange, "order.paid", null, new byte[] {6});

    List<GuardedDelivery> second =
        worker.await(4).stream()
            .filter(one -> one.delivery().attempt() == 2)
            .peek(one -> assertThat(one.at()).isAfter(before.plus(PAUSE).minus(tolerance())))
            .map(Worker.Handled::delivery)
            .toList();
    assertThat(second)
        .hasSize(2)
        .allSatisfy(
            each -> {
              assertThat(each.envelope().getExchange()).isEqualTo(exchange);
              assertThat(each.envelope().getRoutingKey()).isEqualTo("order.paid");
              assertThat(each.properties().getHeaders()).doesNotContainKey("x-death");
            });
    GuardedDelivery named =
        second.stream().filter(each -> each.body()[0] == 5).findFirst().orElseThrow();
    assertThat(named.properties().getMessageId()).isEqualTo("same-for-all");
    assertThat(named.properties().getHeaders()).containsEntry("tenant", 7);
    assertThat(Headers.id(named.properties())).isEqualTo("same-for-all");
    Awaitility.await().until(() -> world.waiting(queue) == 0);
  }

  /** The row knows until when, also for the copy that was not acknowledged any more. */
  @Test
  default void what_is_deferred_when_its_connection_is_lost_is_handled_then_and_once()
      throws Exception {
    GuardWorld world = world();
    String queue = world.queue("cut-off");
    world.publisher(tracked("", queue));
    Duration pause = Duration.ofSeconds(4);
    AtomicReference<Worker> first = new AtomicReference<>();
    AtomicReference<Instant> until = new AtomicReference<>();
    first.set(
        world.worker(
            queue,
            delivery -> {
              until.set(first.get().guard().now().plus(pause));
              delivery.defer(until.get());
              first.get().loseConnection();
            }));
    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(PAUSE)));
    first.get().await(1);

    Worker second = world.worker(queue, delivery -> {});
    world.awaitState(key, MessageState.SETTLED);

    Worker.Handled handled = second.handled().get(0);
    assertThat(handled.at()).isAfterOrEqualTo(until.get().minus(tolerance()));
    Awaitility.await().until(() -> world.waiting(queue) == 0);
    assertThat(second.handled()).hasSize(1);
  }

  @Test
  default void what_waits_is_cancelled_and_moved_like_any_other() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("waits");
    TrackedPublisher publisher = world.publisher(tracked("", queue));
    Duration pause = Duration.ofSeconds(3);
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              if (delivery.attempt() == 1 && delivery.body()[0] != 9) {
                delivery.defer(pause);
              }
            });
    MessageKey cancelled = GuardWorld.key(world.publish(one(queue, 1)));
    MessageKey moved = GuardWorld.key(world.publish(one(queue, 2)));
    worker.events().await("deferred 2", 2);
    for (MessageKey key : List.of(cancelled, moved)) {
      Awaitility.await().until(() -> world.find(key), row -> row.reason() != null);
    }

    assertThat(world.store().cancel(cancelled)).isEqualTo(ChangeOutcome.DONE);
    assertThat(publisher.store().reschedule(moved, Instant.now().plus(SHORT)))
        .isEqualTo(ChangeOutcome.DONE);

    // The moved one is of another generation, whose first attempt defers it again.
    world.awaitState(moved, MessageState.SETTLED);
    assertThat(world.find(cancelled).state()).isEqualTo(MessageState.CANCELLED);
    assertThat(worker.handled()).hasSize(4);
  }

  @Test
  default void what_fails_is_tried_again_as_its_route_says_and_then_fails() throws Exception {
    GuardWorld world = world();
    String dead = world.queue("dead");
    String queue =
        world.queue(
            "ladder", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    world.publisher(tracked("", queue).toBuilder().retries(SHORT, Duration.ofMillis(600)).build());
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              throw new IllegalStateException("no such customer");
            });

    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(SHORT)));
    StoredMessage between =
        Awaitility.await()
            .pollInterval(Duration.ofMillis(5))
            .until(() -> world.find(key), row -> row.reason() != null);
    StoredMessage failed = world.awaitState(key, MessageState.FAILED);
    // It has no row.
    world.channel().basicPublish("", queue, null, new byte[] {1});

    assertThat(between.reason()).contains("no such customer; retry ").contains(" of 2 in ");
    assertThat(failed.reason()).endsWith("no such customer");
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> world.waiting(dead) == 2);
    List<Worker.Handled> handled = worker.handled();
    assertThat(handled)
        .extracting(one -> one.delivery().attempt())
        .containsExactly(1, 2, 3, 1, 2, 3);
    assertThat(handled.get(1).at()).isAfter(handled.get(0).at().plus(SHORT).minus(tolerance()));
    assertThat(handled.get(2).at()).isAfter(handled.get(1).at().plusMillis(600).minus(tolerance()));
    assertThat(worker.events().count("failed")).isEqualTo(6);
    assertThat(worker.events().count("deferred 2")).isEqualTo(2);
  }

  @Test
  default void what_is_put_off_uses_up_no_retry() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("both");
    world.publisher(tracked("", queue).toBuilder().retries(SHORT).build());
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              if (delivery.attempt() < 3) {
                delivery.defer(SHORT);
              } else if (delivery.attempt() == 3) {
                throw new IllegalStateException("once");
              }
            });

    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(SHORT)));

    world.awaitState(key, MessageState.SETTLED);
    assertThat(worker.handled()).hasSize(4);
  }

  @Test
  default void a_guard_without_a_store_defers_and_tries_again_too() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("no-store");
    DelayRoute route = DelayRoute.builder("r").routingKey(queue).retries(SHORT).build();
    DelayRoutes routes = DelayRoutes.builder().hold(GuardWorld.hold()).route(route).build();
    Queue<Delivery> handled = new ConcurrentLinkedQueue<>();
    try (Connection connection = broker().connectionFactory().newConnection();
        DelayedPublisher publisher =
            DelayedPublisher.builder(broker().connectionFactory()).routes(routes).build();
        DeliveryGuard guard = DeliveryGuard.of(publisher, GuardOptions.defaults())) {
      guard.consume(
          connection.createChannel(),
          queue,
          delivery -> {
            handled.add(delivery.asReceived());
            if (delivery.attempt() == 1) {
              delivery.defer(SHORT);
            } else if (delivery.attempt() == 2) {
              throw new IllegalStateException("once");
            }
          });
      publisher.publish(DelayedMessage.toQueue(queue).body("a").delay(SHORT)).join();

      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> handled.size() == 3);
      Awaitility.await().until(() -> world.waiting(queue) == 0);
    }
  }

  private static void once(GuardedDelivery delivery) {
    if (delivery.attempt() == 1) {
      delivery.defer(PAUSE);
    }
  }

  private static DelayedMessage one(String queue, int number) {
    return DelayedMessage.toQueue(queue).body(new byte[] {(byte) number}).delay(SHORT);
  }

  private static Duration tolerance() {
    return GuardWorld.OPTIONS.earlyTolerance();
  }
}
