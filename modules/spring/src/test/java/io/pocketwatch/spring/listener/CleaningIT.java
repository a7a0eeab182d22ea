// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;
import org.springframework.beans.DirectFieldAccessor;

/** Listeners get messages as they were sent, and may send them on. */
@Timeout(120)
@Tag("wide")
class CleaningIT {
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

  static class Receiving {
    final BlockingQueue<Message> received = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      received.add(message);
    }
  }

  private static Map<String, Object> death(String queue) {
    return Map.of("queue", queue, "reason", "expired", "count", 1L, "exchange", "shop");
  }

  @Test
  void an_untracked_message_is_as_it_was_sent() throws Exception {
    Receiving listener = new Receiving();
    world.simple(listener, factory -> {});
    BasicProperties properties =
        Copies.untracked(
            "u-1",
            Instant.now(),
            Map.of(
                "x-delay",
                -5_000,
                "x-death",
                List.of(death("pocketwatch.wheel.1"), death("theirs")),
                "color",
                "red"));
    world.channel.basicPublish("", world.queue, properties, "untracked".getBytes());

    MessageProperties received = ListenerWorld.next(listener.received).getMessageProperties();
    assertThat(received.getReceivedExchange()).isEqualTo("shop");
    assertThat(received.getReceivedDelayLong()).isEqualTo(5_000);
    assertThat(received.getDelayLong()).as("as with the plugin").isEqualTo(5_000);
    assertThat(received.getHeaders()).containsEntry("color", "red").doesNotContainKey("x-delay");
    assertThat(received.getXDeathHeader())
        .singleElement()
        .satisfies(one -> assertThat(one.get("queue")).isEqualTo("theirs"));
  }

  @Test
  void a_message_of_others_is_left_alone() throws Exception {
    Receiving listener = new Receiving();
    world.simple(listener, factory -> {});
    BasicProperties properties =
        new BasicProperties.Builder().headers(Map.of("x-delay", -5_000)).build();
    world.channel.basicPublish("", world.queue, properties, "theirs".getBytes());

    MessageProperties received = ListenerWorld.next(listener.received).getMessageProperties();
    assertThat(received.getReceivedExchange()).isEmpty();
    assertThat(received.getHeaders()).containsEntry("x-delay", 5_000L);
  }

  @Test
  void an_untracked_message_that_comes_early_is_held_again_and_keeps_what_it_was()
      throws Exception {
    Receiving listener = new Receiving();
    world.direct(listener, factory -> {});
    Instant deliverAt = Instant.now().plusSeconds(2);
    BasicProperties properties = Copies.untracked("early", deliverAt, Map.of("x-delay", -5_000));
    world.channel.basicPublish(
        world.queue + ".fan", "own.key", properties.builder().deliveryMode(2).build(), new byte[3]);

    Message received = ListenerWorld.next(listener.received);
    assertThat(Instant.now()).isAfter(deliverAt.minusMillis(300));
    assertThat(received.getMessageProperties().getReceivedExchange()).isEqualTo("shop");
    assertThat(received.getMessageProperties().getReceivedRoutingKey()).isEqualTo("own.key");
    assertThat(received.getMessageProperties().getReceivedDelayLong()).isEqualTo(5_000);
    assertThat(received.getMessageProperties().getReceivedDeliveryMode()).hasToString("PERSISTENT");
    assertThat(received.getBody()).hasSize(3);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.received).isEmpty();
  }

  /** Held, it lets pass what comes behind it. */
  @Test
  void what_a_post_processor_has_decrypted_is_held_again_as_it_was() throws Exception {
    Receiving listener = new Receiving();
    world.simple(
        listener,
        factory ->
            factory.setAfterReceivePostProcessors(
                message ->
                    new Message(decrypted(message.getBody()), message.getMessageProperties())));
    Instant deliverAt = Instant.now().plusSeconds(3);
    send(Copies.untracked("early", deliverAt, Map.of("x-delay", -5_000)), "early");
    send(null, "now");

    assertThat(ListenerWorld.next(listener.received).getBody()).isEqualTo("now".getBytes());
    assertThat(Instant.now()).isBefore(deliverAt);
    Message message = ListenerWorld.next(listener.received);
    assertThat(message.getBody()).isEqualTo("early".getBytes());
    assertThat(message.getMessageProperties().getReceivedDelayLong()).isEqualTo(5_000);
    assertThat(Instant.now()).isAfter(deliverAt.minus(ListenerWorld.OPTIONS.earlyTolerance()));
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.received).isEmpty();
  }

  @Test
  void what_a_post_processor_takes_all_headers_of_was_held_again_before() throws Exception {
    Receiving listener = new Receiving();
    Instant deliverAt = Instant.now().plusSeconds(2);
    world.simple(
        listener,
        factory ->
            factory.setAfterReceivePostProcessors(
                message -> {
                  message.getMessageProperties().getHeaders().clear();
                  return new Message(decrypted(message.getBody()), message.getMessageProperties());
                }));
    send(Copies.untracked("early", deliverAt, Map.of()), "early");
    send(null, "now");

    assertThat(ListenerWorld.next(listener.received).getBody()).isEqualTo("now".getBytes());
    assertThat(ListenerWorld.next(listener.received).getBody()).isEqualTo("early".getBytes());
    assertThat(Instant.now()).isAfter(deliverAt.minus(ListenerWorld.OPTIONS.earlyTolerance()));
    world.awaitWaiting(world.queue, 0);
  }

  private void send(BasicProperties properties, String text) throws Exception {
    world.channel.basicPublish("", world.queue, properties, decrypted(text.getBytes()));
  }

  /** And encrypted, by the same. */
  private static byte[] decrypted(byte[] body) {
    byte[] other = body.clone();
    for (int i = 0; i < other.length; i++) {
      other[i] ^= 1;
    }
    return other;
  }

  @Test
  void without_a_store_messages_are_cleaned_and_early_ones_waited_for() throws Exception {
    Receiving listener = new Receiving();
    world.start(listener, new SimpleRabbitListenerContainerFactory(), null);
    Instant deliverAt = Instant.now().plusSeconds(3);
    world.channel.basicPublish(
        "", world.queue, Copies.untracked("early", deliverAt, Map.of()), "early".getBytes());

    Message received = ListenerWorld.next(listener.received);
    assertThat(Instant.now()).isAfter(deliverAt.minusMillis(1_100));
    assertThat(received.getMessageProperties().getReceivedExchange()).isEqualTo("shop");
    MessageKey tracked = world.held("tracked");
    assertThat(ListenerWorld.next(listener.received).getBody()).isEqualTo("tracked".getBytes());
    assertThat(world.find(tracked).state()).isIn(MessageState.PENDING, MessageState.HELD);
  }

  /** Sends on what it received first, with a new delay. */
  private final class Forwarding {
    final AtomicInteger calls = new AtomicInteger();
    final BlockingQueue<Message> received = new LinkedBlockingQueue<>();

    @RabbitListener(queues = "${queue}")
    void handle(Message message) throws Exception {
      received.add(message);
      if (calls.incrementAndGet() == 1) {
        world
            .publisher
            .publish(
                DelayedMessage.toQueue(world.queue)
                    .properties(
                        new DefaultMessagePropertiesConverter()
                            .fromMessageProperties(message.getMessageProperties(), "UTF-8"))
                    .body(message.getBody())
                    .delay(ListenerWorld.SHORT))
            .join();
      }
    }
  }

  @Test
  void what_was_received_may_be_delayed_once_more_and_is_a_new_message() throws Exception {
    Forwarding listener = new Forwarding();
    world.simple(listener, factory -> {});
    MessageKey first = world.held("round trip");

    String one = ListenerWorld.next(listener.received).getMessageProperties().getMessageId();
    Message other = ListenerWorld.next(listener.received);
    Awaitility.await().until(() -> world.settled.size() == 2);
    assertThat(world.settled).contains(first).doesNotHaveDuplicates();
    assertThat(other.getMessageProperties().<String>getHeader(DeliveryHeaders.ID))
        .isNotEqualTo(one);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.calls).hasValue(2);
  }

  /** As a plain listener, which throws what it likes. */
  @Test
  void an_error_handler_gets_the_message_as_the_listener_does() throws Exception {
    BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    world.simple(
        new Failing(),
        factory ->
            factory.setErrorHandler(
                failure -> {
                  failures.add(failure);
                  throw new AmqpRejectAndDontRequeueException("seen", failure);
                }));
    BasicProperties properties =
        Copies.untracked(
            "u-2", Instant.now(), Map.of("x-death", List.of(death("pocketwatch.wheel.1"))));
    world.channel.basicPublish("", world.queue, properties, "untracked".getBytes());

    Throwable failure = ListenerWorld.next(failures);
    Message failed =
        (Message) new DirectFieldAccessor(failure).getPropertyValue("failedMessages[0]");
    assertThat(failed.getMessageProperties().getReceivedExchange()).isEqualTo("shop");
    assertThat(failed.getMessageProperties().getHeaders()).doesNotContainKey("x-death");
  }

  private static final class Failing {
    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      throw new IllegalStateException("no");
    }
  }

  /** Sends it on as it is. */
  private final class Copying {
    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      new RabbitTemplate(world.springs).send("", world.queue + ".dead", message);
    }
  }

  @Test
  void what_was_received_may_be_sent_on_by_any_template_and_names_no_row() throws Exception {
    world.simple(new Copying(), factory -> {});
    world.held(
        DelayedMessage.toQueue(world.queue)
            .properties(new BasicProperties.Builder().headers(Map.of("color", "red")).build())
            .body("on".getBytes())
            .delay(ListenerWorld.SHORT));

    world.awaitWaiting(world.queue + ".dead", 1);
    GetResponse copy = world.channel.basicGet(world.queue + ".dead", true);
    assertThat(copy.getProps().getHeaders())
        .containsKey("color")
        .doesNotContainKeys("pocketwatch-route", "pocketwatch-generation", "x-delay", "x-death");
  }
}
