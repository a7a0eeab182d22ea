// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static io.pocketwatch.it.guard.GuardWorld.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Messages that are delivered: once per consumer, sent on, and sent again. */
interface DeliveryTests extends GuardSetup {
  Duration SOON = Duration.ofMillis(300);

  @Test
  default void a_fanout_is_settled_when_each_of_two_consumers_has_handled_it_once()
      throws Exception {
    GuardWorld world = world();
    String mail = world.queue("mail");
    String stock = world.queue("stock");
    String orders = world.exchange("orders", mail, stock);
    world.publisher(tracked(orders, "", 2));
    CountDownLatch release = new CountDownLatch(1);
    Worker first = world.worker(mail, delivery -> {});
    Worker second =
        world.worker(stock, delivery -> assertThat(release.await(20, TimeUnit.SECONDS)).isTrue());

    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.to(orders, "a.b").body("text").delay(SOON)));
    first.events().await("settled");
    second.await(1);

    assertThat(world.find(key).state()).isNotEqualTo(MessageState.SETTLED);
    release.countDown();
    world.awaitState(key, MessageState.SETTLED);
    assertThat(first.handled()).hasSize(1);
    assertThat(second.handled()).hasSize(1);
    assertThat(first.handled().get(0).delivery().body())
        .isEqualTo("text".getBytes(StandardCharsets.UTF_8));
    assertThat(first.handled().get(0).at()).isAfterOrEqualTo(world.find(key).deliverAt());
    assertThat(first.handled().get(0).delivery().properties().getHeaders())
        .doesNotContainKeys("x-death", "x-first-death-queue", Headers.GENERATION);
    assertThat(first.handled().get(0).delivery().envelope().getExchange()).isEqualTo(orders);
    assertThat(first.handled().get(0).delivery().envelope().getRoutingKey()).isEqualTo("a.b");
  }

  @Test
  default void each_of_three_consumers_handles_every_message_once_where_one_is_expected()
      throws Exception {
    GuardWorld world = world();
    String orders = world.exchange("busy", world.queue("a"), world.queue("b"), world.queue("c"));
    DelayedPublisher publisher = world.publisher(tracked(orders, "", 1));
    List<Worker> workers = new ArrayList<>();
    for (String queue : List.of("a", "b", "c")) {
      workers.add(world.worker(world.name(queue), delivery -> {}));
    }
    int messages = 100;
    for (int i = 0; i < messages; i++) {
      publisher.publish(DelayedMessage.to(orders, "a.b").delay(SOON));
    }

    for (Worker worker : workers) {
      assertThat(worker.await(messages))
          .extracting(Worker.Handled::id)
          .doesNotHaveDuplicates()
          .hasSize(messages);
      worker.events().await("settled", messages);
      assertThat(worker.events().all()).noneMatch(event -> event.startsWith("skipped"));
    }
    assertThat(workers.stream().mapToLong(each -> each.events().count("unexpected")).sum())
        .isGreaterThan(0);
  }

  @Test
  default void a_consumer_whose_queue_is_deleted_says_that_it_has_stopped() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("deleted");
    world.publisher(tracked("", queue, 1));
    Worker worker = world.worker(queue, delivery -> {});
    assertThat(worker.consumer().isConsuming()).isTrue();

    world.channel().queueDelete(queue);

    worker.events().await("stopped");
    assertThat(worker.consumer().isConsuming()).isFalse();
  }

  @Test
  default void what_a_handler_sends_on_to_another_route_is_handled_there() throws Exception {
    GuardWorld world = world();
    String first = world.queue("first");
    String third = world.queue("third");
    DelayedPublisher publisher = world.publisher(tracked("", first, 1), tracked("", third, 1));
    Worker receiver =
        world.worker(
            first,
            delivery ->
                // As it arrived, with what names the row of its first life.
                publisher
                    .publish(
                        sentOn(third, delivery)
                            .header(Headers.ROUTE, first)
                            .header(Headers.GENERATION, 7))
                    .get(10, TimeUnit.SECONDS));
    Worker next = world.worker(third, delivery -> {});

    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(first).delay(SOON)));

    Worker.Handled there = next.await(1).get(0);
    assertThat(there.id()).isNotEqualTo(key.id());
    world.awaitState(key, MessageState.SETTLED);
    world.awaitState(new MessageKey(third, there.id()), MessageState.SETTLED);
    assertThat(receiver.handled()).hasSize(1);
    assertThat(next.events().all()).doesNotContain("unknown");
  }

  @Test
  default void what_a_handler_sends_on_by_itself_is_handled_as_untracked() throws Exception {
    GuardWorld world = world();
    String first = world.queue("first");
    String second = world.queue("second");
    world.publisher(tracked("", first, 1));
    world.worker(
        first,
        delivery ->
            world.channel().basicPublish("", second, delivery.properties(), delivery.body()));
    Worker next = world.worker(second, delivery -> {});

    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(first).delay(SOON)));

    world.awaitState(key, MessageState.SETTLED);
    assertThat(next.await(1).get(0).delivery().handling()).isEmpty();
  }

  @Test
  default void what_is_received_and_delayed_five_times_is_delivered_each_time() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("again");
    DelayedPublisher publisher = world.publisher(tracked("", queue, 1));
    CountDownLatch left = new CountDownLatch(5);
    Worker worker =
        world.worker(
            queue,
            delivery -> {
              if (left.getCount() > 0) {
                left.countDown();
                publisher.publish(sentOn(queue, delivery)).get(10, TimeUnit.SECONDS);
              }
            });

    world.publish(DelayedMessage.toQueue(queue).delay(SOON));

    assertThat(worker.await(6)).extracting(Worker.Handled::id).doesNotHaveDuplicates().hasSize(6);
    worker.events().await("settled", 6);
  }

  @Test
  default void a_message_the_store_does_not_know_is_handled_and_counted() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("unknown");
    world.publisher();
    Worker worker = world.worker(queue, delivery -> {});

    world.channel().basicPublish("", queue, Copies.tracked(queue, "gone", 1), new byte[0]);

    worker.events().await("unknown");
    worker.await(1);
    assertThat(worker.events().unknown()).containsExactly(new MessageKey(queue, "gone"));
  }

  private static DelayedMessage sentOn(String queue, GuardedDelivery delivery) {
    return DelayedMessage.toQueue(queue)
        .properties(delivery.properties())
        .body(delivery.body())
        .delay(SOON);
  }
}
