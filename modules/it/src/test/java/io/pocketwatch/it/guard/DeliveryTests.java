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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Messages that are delivered: once per consumer, sent on, and sent again. */
interface DeliveryTests extends GuardSetup {
  Duration SOON = Duration.ofMillis(300);

  @Test
  default void what_is_handled_is_settled_once() throws Exception {
    GuardWorld world = world();
    String mail = world.queue("mail");
    String orders = world.exchange("orders", mail);
    world.publisher(tracked(orders, ""));
    CountDownLatch release = new CountDownLatch(1);
    Worker first =
        world.worker(mail, delivery -> assertThat(release.await(20, TimeUnit.SECONDS)).isTrue());

    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.to(orders, "a.b").body("text").delay(SOON)));
    first.await(1);

    assertThat(world.find(key).state()).isEqualTo(MessageState.PENDING);
    release.countDown();
    world.awaitState(key, MessageState.SETTLED);
    assertThat(first.handled()).hasSize(1);
    assertThat(first.handled().get(0).delivery().body())
        .isEqualTo("text".getBytes(StandardCharsets.UTF_8));
    assertThat(first.handled().get(0).at()).isAfterOrEqualTo(world.find(key).deliverAt());
    assertThat(first.handled().get(0).delivery().properties().getHeaders())
        .doesNotContainKeys("x-death", "x-first-death-queue", Headers.GENERATION);
    assertThat(first.handled().get(0).delivery().envelope().getExchange()).isEqualTo(orders);
    assertThat(first.handled().get(0).delivery().envelope().getRoutingKey()).isEqualTo("a.b");
  }

  /** It has one consumer; the second queue got a copy, too. */
  @Test
  default void the_consumer_of_a_second_queue_is_stopped_and_none_of_its_messages_lost()
      throws Exception {
    GuardWorld world = world();
    String mail = world.queue("a");
    String stock = world.queue("b");
    String orders = world.exchange("busy", mail, stock);
    DelayedPublisher publisher = world.publisher(tracked(orders, ""));
    Worker first = world.worker(mail, delivery -> {});
    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.to(orders, "a.b").delay(SOON)));
    world.awaitState(key, MessageState.SETTLED);
    Worker second = world.worker(stock, delivery -> {});
    int messages = 20;
    for (int i = 1; i < messages; i++) {
      publisher.publish(DelayedMessage.to(orders, "a.b").delay(SOON));
    }

    assertThat(first.await(messages))
        .extracting(Worker.Handled::id)
        .doesNotHaveDuplicates()
        .hasSize(messages);
    second.events().await("other consumer");
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> world.channel().messageCount(stock) == messages);
    assertThat(second.handled()).isEmpty();
    assertThat(second.consumer().isConsuming()).isFalse();
    assertThat(second.guard().stopped())
        .extracting(each -> each.consumer() + " of " + each.other())
        .containsExactly(stock + " of " + mail);
    assertThat(first.consumer().isConsuming()).isTrue();
  }

  @Test
  default void a_consumer_whose_queue_is_deleted_says_that_it_has_stopped() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("deleted");
    world.publisher(tracked("", queue));
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
    DelayedPublisher publisher = world.publisher(tracked("", first), tracked("", third));
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
    world.publisher(tracked("", first));
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
    DelayedPublisher publisher = world.publisher(tracked("", queue));
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
