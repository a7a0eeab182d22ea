// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Success is the acknowledgement, whoever gives it. */
@Timeout(120)
@Tag("wide")
class AcknowledgeModesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private ListenerWorld world;

  @BeforeEach
  void open() throws Exception {
    world = new ListenerWorld(broker::connectionFactory);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  /** What a listener was told. */
  record Told(String body, String id, Instant deliverAt, Duration lateness, Message message) {}

  static class Typed {
    final BlockingQueue<Told> told = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    void handle(
        String body,
        @Header(DeliveryHeaders.ID) String id,
        @Header(DeliveryHeaders.DELIVER_AT) Instant deliverAt,
        @Header(DeliveryHeaders.LATENESS) Duration lateness,
        Message message) {
      told.add(new Told(body, id, deliverAt, lateness, message));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_listener_is_told_about_its_delay_and_its_return_settles(boolean simple) throws Exception {
    Typed listener = new Typed();
    world.consume(simple, listener);
    MessageKey key =
        world.held(
            DelayedMessage.to(world.queue + ".fan", "any")
                .body("hello".getBytes())
                .delay(ListenerWorld.SHORT));

    Told told = ListenerWorld.next(listener.told);
    assertThat(told.id).isEqualTo(key.id());
    assertThat(told.deliverAt).isEqualTo(world.find(key).message().deliverAt());
    assertThat(told.lateness).isBetween(Duration.ofMillis(-300), Duration.ofSeconds(10));
    assertThat(told.message.getMessageProperties().getReceivedExchange())
        .isEqualTo(world.queue + ".fan");
    assertThat(told.message.getMessageProperties().getReceivedRoutingKey()).isEqualTo("any");
    assertThat(told.message.getMessageProperties().getHeaders())
        .doesNotContainKeys("x-death", "pocketwatch-route", "pocketwatch-generation");
    world.awaitState(key, MessageState.SETTLED);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    world.awaitWaiting(world.queue, 0);
  }

  static class Plain {
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    void handle(String body) {
      bodies.add(body);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"AUTO", "MANUAL"})
  void what_was_cancelled_while_held_is_acknowledged_unhandled(AcknowledgeMode mode)
      throws Exception {
    Acknowledging manual = new Acknowledging();
    Plain auto = new Plain();
    boolean byListener = mode == AcknowledgeMode.MANUAL;
    MessageKey cancelled = world.held("cancelled");
    world.store.cancel(cancelled);
    MessageKey other = world.held("other");
    world.simple(byListener ? manual : auto, factory -> factory.setAcknowledgeMode(mode));

    assertThat(ListenerWorld.next(byListener ? manual.bodies : auto.bodies)).isEqualTo("other");
    world.awaitState(other, MessageState.SETTLED);
    assertThat(world.find(cancelled).state()).isEqualTo(MessageState.CANCELLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(byListener ? manual.bodies : auto.bodies).isEmpty();
  }

  /** Acknowledges at once. */
  static class Acknowledging {
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    void handle(String body, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag)
        throws IOException {
      bodies.add(body);
      channel.basicAck(tag, false);
    }
  }

  /** Leaves that to the test. */
  record Unacknowledged(String body, Channel channel, long tag) {}

  static class Keeping {
    final BlockingQueue<Unacknowledged> kept = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void handle(String body, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) {
      kept.add(new Unacknowledged(body, channel, tag));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void several_acknowledged_at_once_are_all_settled_not_before(boolean simple) throws Exception {
    Keeping listener = new Keeping();
    world.consume(simple, listener);
    List<MessageKey> keys = new ArrayList<>();
    for (String body : List.of("a", "b", "c")) {
      keys.add(world.held(body));
      ListenerWorld.next(listener.kept); // in this order
    }
    world.channel.basicPublish("", world.queue, null, "untracked".getBytes());
    Unacknowledged last = ListenerWorld.next(listener.kept);
    assertThat(keys)
        .extracting(key -> world.find(key).state())
        .doesNotContain(MessageState.SETTLED);

    last.channel.basicAck(last.tag, true);

    keys.forEach(key -> world.awaitState(key, MessageState.SETTLED));
  }

  @Test
  void rejected_by_the_listener_is_failed_and_dead_lettered() throws Exception {
    Keeping listener = new Keeping();
    world.simple(listener, factory -> {});
    MessageKey nacked = world.held("nacked");
    Unacknowledged first = ListenerWorld.next(listener.kept);
    first.channel.basicNack(first.tag, false, false);
    MessageKey rejected = world.held("rejected");
    Unacknowledged second = ListenerWorld.next(listener.kept);
    second.channel.basicReject(second.tag, false);

    world.awaitWaiting(world.queue + ".dead", 2);
    assertThat(world.find(nacked).state()).isEqualTo(MessageState.FAILED);
    assertThat(world.find(rejected).state()).isEqualTo(MessageState.FAILED);
  }

  @Test
  void requeued_by_the_listener_is_released_and_handled_again() throws Exception {
    Keeping listener = new Keeping();
    world.simple(listener, factory -> {});
    MessageKey key = world.held("again");
    Unacknowledged first = ListenerWorld.next(listener.kept);

    first.channel.basicNack(first.tag, false, true);

    Unacknowledged second = ListenerWorld.next(listener.kept);
    assertThat(world.find(key).state()).isIn(MessageState.PENDING, MessageState.HELD);
    second.channel.basicAck(second.tag, false);
    world.awaitState(key, MessageState.SETTLED);
  }

  @Test
  void an_answer_inside_of_a_transaction_is_refused_and_one_after_it_is_not() throws Exception {
    Keeping listener = new Keeping();
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");
    Unacknowledged kept = ListenerWorld.next(listener.kept);
    TransactionTemplate transaction =
        new TransactionTemplate(new DataSourceTransactionManager(world.database));

    assertThatThrownBy(
            () ->
                transaction.execute(status -> answer(() -> kept.channel.basicAck(kept.tag, true))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("MANUAL", "inside of a transaction", "SettleInTransaction");
    assertThatThrownBy(
            () ->
                transaction.execute(
                    status -> answer(() -> kept.channel.basicNack(kept.tag, false, false))))
        .isInstanceOf(IllegalStateException.class);
    assertThat(world.find(key).state()).isIn(MessageState.PENDING, MessageState.HELD);

    kept.channel.basicAck(kept.tag, false);
    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue + ".dead", 0);
  }

  @FunctionalInterface
  private interface Answer {
    void give() throws IOException;
  }

  private static @Nullable Void answer(Answer answer) {
    try {
      answer.give();
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void acknowledged_while_the_store_does_not_answer_is_settled_when_it_does() throws Exception {
    try (ListenerWorld hasty =
        new ListenerWorld(
            broker::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).build())) {
      Keeping listener = new Keeping();
      hasty.simple(listener, factory -> {});
      MessageKey key = hasty.held("twice");
      Unacknowledged first = ListenerWorld.next(listener.kept);
      hasty.database.down(true);

      first.channel.basicAck(first.tag, false);

      hasty.database.down(false);
      hasty.awaitState(key, MessageState.SETTLED);
      hasty.awaitWaiting(hasty.queue, 0);
      assertThat(listener.kept).isEmpty();
    }
  }

  /** Its future is the test's to complete. */
  static class Promising {
    final BlockingQueue<CompletableFuture<Void>> futures = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    CompletableFuture<Void> handle(String body) {
      CompletableFuture<Void> future = new CompletableFuture<>();
      futures.add(future);
      return future;
    }
  }

  @Test
  void a_future_settles_when_it_completes_and_keeps_the_lease_until_then() throws Exception {
    Promising listener = new Promising();
    world.simple(listener, factory -> {});
    MessageKey key = world.held("later");
    CompletableFuture<Void> future = ListenerWorld.next(listener.futures);
    world.copy(world.queue, key); // is dropped
    Instant beyondTheLease = Instant.now().plusMillis(2_500);
    Awaitility.await().until(() -> Instant.now().isAfter(beyondTheLease));
    assertThat(world.find(key).state()).isIn(MessageState.PENDING, MessageState.HELD);
    assertThat(listener.futures).isEmpty();

    future.complete(null);

    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
  }

  /** Its Mono is the test's to end. */
  static class Reactive {
    final BlockingQueue<CompletableFuture<Void>> futures = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    Mono<Void> handle(String body) {
      CompletableFuture<Void> future = new CompletableFuture<>();
      futures.add(future);
      return Mono.fromFuture(future);
    }
  }

  @Test
  void a_mono_settles_when_it_completes_and_fails_when_it_fails() throws Exception {
    Reactive listener = new Reactive();
    world.simple(listener, factory -> factory.setDefaultRequeueRejected(false));
    MessageKey done = world.held("done");
    CompletableFuture<Void> first = ListenerWorld.next(listener.futures);
    assertThat(world.find(done).state()).isIn(MessageState.PENDING, MessageState.HELD);
    first.complete(null);
    world.awaitState(done, MessageState.SETTLED);

    MessageKey broken = world.held("broken");
    ListenerWorld.next(listener.futures).completeExceptionally(new IllegalStateException("broken"));
    world.awaitState(broken, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
  }

  @Test
  void a_future_that_fails_fails_the_message() throws Exception {
    Promising listener = new Promising();
    world.direct(listener, factory -> factory.setDefaultRequeueRejected(false));
    MessageKey key = world.held("broken");
    ListenerWorld.next(listener.futures).completeExceptionally(new IllegalStateException("broken"));

    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
  }

  @Test
  void a_tracked_queue_is_not_consumed_without_acknowledgement() {
    assertThatThrownBy(
            () ->
                world.simple(
                    new Plain(), factory -> factory.setAcknowledgeMode(AcknowledgeMode.NONE)))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .rootCause()
        .hasMessageContaining("acknowledge mode NONE")
        .hasMessageContaining("'direct'");
  }
}
