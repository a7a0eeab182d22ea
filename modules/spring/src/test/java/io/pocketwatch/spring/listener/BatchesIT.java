// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;

/** Several messages to one call of a listener, and several calls for one message. */
@Timeout(120)
@Tag("wide")
class BatchesIT {
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

  static class Batched {
    final BlockingQueue<List<String>> batches = new LinkedBlockingQueue<>();
    final AtomicInteger failures = new AtomicInteger();

    @RabbitListener(queues = "${queue}")
    void handle(List<Message> batch) {
      batches.add(batch.stream().map(BatchesIT::body).toList());
      if (failures.getAndDecrement() > 0) {
        throw new IllegalStateException("the whole batch");
      }
    }
  }

  private static String body(Message message) {
    return new String(message.getBody(), StandardCharsets.UTF_8);
  }

  private static void consumerBatches(SimpleRabbitListenerContainerFactory factory) {
    factory.setBatchListener(true);
    factory.setConsumerBatchEnabled(true);
    factory.setBatchSize(3);
    factory.setBatchReceiveTimeout(5_000L);
    factory.setDefaultRequeueRejected(false);
  }

  private static void batchesOfTwo(SimpleRabbitListenerContainerFactory factory) {
    consumerBatches(factory);
    factory.setBatchSize(2);
  }

  @Test
  void a_batch_holds_what_is_to_be_handled_and_is_settled_one_by_one() throws Exception {
    MessageKey first = world.held("first");
    MessageKey cancelled = world.held("cancelled");
    MessageKey third = world.held("third");
    world.store.cancel(cancelled);
    world.awaitWaiting(world.queue, 3);
    Batched listener = new Batched();
    world.simple(listener, BatchesIT::consumerBatches);

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("first", "third");
    world.awaitState(first, MessageState.SETTLED);
    world.awaitState(third, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void a_batch_of_nothing_to_be_handled_is_not_handed_over() throws Exception {
    for (String body : List.of("a", "b", "c")) {
      world.store.cancel(world.held(body));
    }
    world.awaitWaiting(world.queue, 3);
    Batched listener = new Batched();
    world.simple(listener, BatchesIT::consumerBatches);
    for (String body : List.of("d", "e", "f")) {
      world.channel.basicPublish("", world.queue, null, body.getBytes(StandardCharsets.UTF_8));
    }

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("d", "e", "f");
    assertThat(listener.batches).isEmpty();
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void a_batch_that_fails_is_dead_lettered_and_each_of_its_rows_has_failed() throws Exception {
    List<MessageKey> keys = List.of(world.held("a"), world.held("b"), world.held("c"));
    world.awaitWaiting(world.queue, 3);
    Batched listener = new Batched();
    listener.failures.set(1);
    world.simple(listener, BatchesIT::consumerBatches);

    world.awaitWaiting(world.queue + ".dead", 3);
    for (MessageKey key : keys) {
      world.awaitState(key, MessageState.FAILED);
    }
  }

  /** One message to be handled, and one to be handled at that time only, which has no row. */
  private MessageKey heldBesideAnEarlyOne(Instant due) throws Exception {
    MessageKey key = world.held("work");
    world.awaitWaiting(world.queue, 1);
    world.channel.basicPublish(
        "",
        world.queue,
        Copies.untracked("early", due, Map.of()),
        "early".getBytes(StandardCharsets.UTF_8));
    world.awaitWaiting(world.queue, 2);
    return key;
  }

  /** What comes next after all the copies that are due by now. */
  private void assertOneCopy(Batched listener, Instant due) throws Exception {
    assertThat(ListenerWorld.next(listener.batches)).containsExactly("early");
    assertThat(Instant.now()).isAfter(due.minus(ListenerWorld.OPTIONS.earlyTolerance()));
    world.held("later");
    assertThat(ListenerWorld.next(listener.batches)).containsExactly("later");
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void a_batch_that_fails_and_comes_again_brings_one_copy_of_what_was_early() throws Exception {
    Instant due = Instant.now().plusSeconds(8);
    MessageKey key = heldBesideAnEarlyOne(due);
    Batched listener = new Batched();
    listener.failures.set(1);
    world.simple(
        listener,
        factory -> {
          batchesOfTwo(factory);
          factory.setDefaultRequeueRejected(true);
        });

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("work");
    assertThat(ListenerWorld.next(listener.batches)).containsExactly("work");
    world.awaitState(key, MessageState.SETTLED);
    assertOneCopy(listener, due);
  }

  @Test
  void what_was_early_is_held_again_also_when_its_batch_is_dead_lettered() throws Exception {
    Instant due = Instant.now().plusSeconds(8);
    MessageKey key = heldBesideAnEarlyOne(due);
    Batched listener = new Batched();
    listener.failures.set(1);
    world.simple(listener, BatchesIT::batchesOfTwo);

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("work");
    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
    assertOneCopy(listener, due);
  }

  @Test
  void a_batch_that_is_handled_and_whose_rest_cannot_be_held_is_not_handled_again()
      throws Exception {
    world.close();
    world =
        new ListenerWorld(
            broker::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).build());
    Instant due = Instant.now().plusSeconds(8);
    MessageKey key = heldBesideAnEarlyOne(due);
    world.publisher.close(); // holds nothing any more
    Batched listener = new Batched();
    world.simple(listener, BatchesIT::batchesOfTwo);

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("work");
    world.awaitState(key, MessageState.SETTLED);
    assertThat(ListenerWorld.next(listener.batches)).containsExactly("early"); // from its queue
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", 0);
    assertThat(listener.batches).isEmpty();
  }

  @Test
  void a_batch_that_meets_a_dead_store_waits_whole_and_is_handled_once() throws Exception {
    List<MessageKey> keys = List.of(world.held("a"), world.held("b"), world.held("c"));
    world.awaitWaiting(world.queue, 3);
    world.database.down(true);
    Batched listener = new Batched();
    world.simple(listener, BatchesIT::consumerBatches);
    assertThat(listener.batches.poll(2, TimeUnit.SECONDS)).isNull();

    world.database.down(false);

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("a", "b", "c");
    for (MessageKey key : keys) {
      world.awaitState(key, MessageState.SETTLED);
    }
  }

  /** What a batching template makes of several messages. */
  private DelayedMessage batch(String... bodies) {
    SimpleBatchingStrategy strategy = new SimpleBatchingStrategy(bodies.length, 10_000, 10_000);
    Message whole = null;
    for (String body : bodies) {
      var batch =
          strategy.addToBatch(
              "",
              world.queue,
              new Message(body.getBytes(StandardCharsets.UTF_8), new MessageProperties()));
      whole = batch == null ? null : batch.message();
    }
    BasicProperties properties =
        new DefaultMessagePropertiesConverter()
            .fromMessageProperties(whole.getMessageProperties(), "UTF-8");
    return DelayedMessage.toQueue(world.queue)
        .properties(properties)
        .body(whole.getBody())
        .delay(ListenerWorld.SHORT);
  }

  static class Pieces {
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    final List<MessageState> statesBefore = new ArrayList<>();
    final ListenerWorld world;
    volatile MessageKey key;
    volatile String failing = "";

    Pieces(ListenerWorld world) {
      this.world = world;
    }

    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      MessageKey handled =
          DeliveryInProgress.current().handling().map(handling -> handling.key()).orElse(null);
      statesBefore.add(handled == null ? null : world.find(handled).state());
      bodies.add(body(message));
      if (body(message).equals(failing)) {
        throw new IllegalStateException(failing);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_message_taken_apart_is_begun_once_and_settled_after_its_last_piece(boolean simple)
      throws Exception {
    Pieces listener = new Pieces(world);
    world.consume(simple, listener);
    MessageKey key = world.held(batch("one", "two", "three"));

    assertThat(ListenerWorld.next(listener.bodies)).isEqualTo("one");
    assertThat(ListenerWorld.next(listener.bodies)).isEqualTo("two");
    assertThat(ListenerWorld.next(listener.bodies)).isEqualTo("three");
    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.statesBefore).doesNotContain(MessageState.SETTLED);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    assertThat(world.settled).isEmpty();
    world.awaitWaiting(world.queue, 0);

    world.copy(world.queue, key); // whole again, by another way
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.bodies).isEmpty();
  }

  @Test
  void a_message_whose_piece_fails_has_failed_as_a_whole() throws Exception {
    Pieces listener = new Pieces(world);
    listener.failing = "two";
    world.simple(listener, factory -> factory.setDefaultRequeueRejected(false));
    MessageKey failed = world.held(batch("one", "two", "three"));
    world.awaitState(failed, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
    assertThat(listener.bodies).containsExactly("one", "two");

    listener.failing = "";
    MessageKey next = world.held(batch("four", "five"));
    world.awaitState(next, MessageState.SETTLED);
  }

  @Test
  void a_cancelled_message_is_skipped_with_all_its_pieces() throws Exception {
    MessageKey cancelled = world.held(batch("one", "two"));
    world.store.cancel(cancelled);
    Pieces listener = new Pieces(world);
    world.simple(listener, factory -> {});
    MessageKey other = world.held("other");

    assertThat(ListenerWorld.next(listener.bodies)).isEqualTo("other");
    world.awaitState(other, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void a_message_taken_apart_into_a_list_is_settled_once() throws Exception {
    Batched listener = new Batched();
    world.direct(
        listener,
        factory -> {
          factory.setBatchListener(true);
          factory.setDeBatchingEnabled(true);
        });
    MessageKey key = world.held(batch("one", "two", "three"));

    assertThat(ListenerWorld.next(listener.batches)).containsExactly("one", "two", "three");
    world.awaitState(key, MessageState.SETTLED);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    assertThat(world.settled).isEmpty();
  }

  static class AcknowledgingLast {
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void handle(Message message, Channel channel) throws IOException {
      bodies.add(body(message));
      if (message.getMessageProperties().isLastInBatch()) {
        channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
      }
    }
  }

  @Test
  void a_message_taken_apart_is_settled_by_the_listener_that_acknowledges_its_last_piece()
      throws Exception {
    AcknowledgingLast listener = new AcknowledgingLast();
    world.simple(listener, factory -> {});
    MessageKey key = world.held(batch("one", "two"));

    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.bodies).containsExactly("one", "two");
    world.awaitWaiting(world.queue, 0);
  }
}
