// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.ExchangeBuilder;
import org.springframework.amqp.core.FanoutExchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/**
 * What the delayed-message plugin's README and Spring's reference say, in the words of a program
 * that was written for them: it knows a {@code RabbitTemplate} and the {@code x-delay} header.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PluginBehaviour {
  private static final long PATIENCE_MS = 10_000;
  private static final long NOTHING_MS = 400;

  private SpringWorld world;
  private RabbitTemplate template;

  abstract ConnectionFactory broker();

  @BeforeEach
  void open() {
    if (world == null) {
      world = new SpringWorld(broker());
      template = template(world);
    }
  }

  /** The one line that users change. */
  RabbitTemplate template(SpringWorld world) {
    return new DelayedRabbitTemplate(world.connections, world.publisher());
  }

  @org.junit.jupiter.api.AfterAll
  void close() throws Exception {
    world.close();
  }

  @AfterEach
  void forget() {
    template.setMandatory(false);
  }

  @Test
  void messages_arrive_in_the_order_of_their_delays() {
    Exchange exchange = world.declare(new DirectExchange(unique("order")));
    String queue = world.bound(exchange, "key");
    for (long delay : new long[] {1_200, 400, 800}) {
      send(exchange, "key", "after " + delay, delay);
    }
    assertThat(List.of(text(queue), text(queue), text(queue)))
        .containsExactly("after 400", "after 800", "after 1200");
  }

  @Test
  void a_message_arrives_not_before_its_delay_has_passed() {
    Exchange exchange = world.declare(new DirectExchange(unique("exact")));
    String queue = world.bound(exchange, "key");
    long sent = System.nanoTime();
    send(exchange, "key", "late", 500);
    Message received = receive(queue);
    assertThat(Duration.ofNanos(System.nanoTime() - sent))
        .isGreaterThanOrEqualTo(Duration.ofMillis(500));
    assertThat(received.getMessageProperties().getReceivedDelayLong()).isEqualTo(500);
    assertThat(received.getMessageProperties().getReceivedExchange()).isEqualTo(exchange.getName());
    assertThat(received.getMessageProperties().getReceivedRoutingKey()).isEqualTo("key");
  }

  @Test
  void a_topic_exchange_routes_by_pattern_when_the_message_is_due() {
    Exchange exchange = world.declare(new TopicExchange(unique("topic")));
    String matching = world.bound(exchange, "orders.*.eu");
    String other = world.bound(exchange, "orders.*.us");
    send(exchange, "orders.17.eu", "eu", 200);
    assertThat(text(matching)).isEqualTo("eu");
    assertNothingAt(other);
  }

  @Test
  void a_fanout_exchange_reaches_all_its_queues() {
    Exchange exchange = world.declare(new FanoutExchange(unique("fanout")));
    String one = world.bound(exchange, "");
    String two = world.bound(exchange, "");
    send(exchange, "whatever", "all", 200);
    assertThat(text(one)).isEqualTo("all");
    assertThat(text(two)).isEqualTo("all");
  }

  @Test
  void a_headers_exchange_sees_the_headers_of_the_message() {
    Exchange exchange = world.declare(ExchangeBuilder.headersExchange(unique("headers")).build());
    String queue = world.queue("headers");
    world.admin.declareBinding(
        BindingBuilder.bind(new org.springframework.amqp.core.Queue(queue))
            .to(exchange)
            .with("")
            .and(Map.of("x-match", "all", "region", "eu")));
    template.send(
        exchange.getName(),
        "",
        MessageBuilder.withBody("eu".getBytes())
            .setHeader("region", "eu")
            .setHeader("x-delay", 200)
            .build());
    assertThat(text(queue)).isEqualTo("eu");
  }

  @Test
  void an_exchange_bound_to_the_delayed_one_gets_its_messages() {
    Exchange first = world.declare(new TopicExchange(unique("first")));
    Exchange second = world.declare(new FanoutExchange(unique("second")));
    world.admin.declareBinding(BindingBuilder.bind(second).to(first).with("a.#").noargs());
    String queue = world.bound(second, "");
    send(first, "a.b.c", "through both", 200);
    assertThat(text(queue)).isEqualTo("through both");
  }

  static Stream<Object> delays() {
    return Stream.of(
        (byte) 100,
        (short) 300,
        300,
        300L,
        300f,
        300d,
        BigInteger.valueOf(300),
        new BigDecimal("300"),
        "300",
        299.5);
  }

  @ParameterizedTest
  @MethodSource("delays")
  void any_number_is_a_delay_and_so_is_a_text_of_digits(Object delay) {
    Exchange exchange = world.declare(new DirectExchange(unique("number")));
    String queue = world.bound(exchange, "key");
    long sent = System.nanoTime();
    template.convertAndSend(
        exchange.getName(),
        "key",
        "x",
        message -> {
          message.getMessageProperties().setHeader("x-delay", delay);
          return message;
        });
    receive(queue);
    assertThat(Duration.ofNanos(System.nanoTime() - sent))
        .isGreaterThanOrEqualTo(Duration.ofMillis(new BigDecimal(delay.toString()).longValue()));
  }

  @Test
  void no_delay_zero_and_less_than_zero_are_delivered_at_once() {
    Exchange exchange = world.declare(new DirectExchange(unique("now")));
    String queue = world.bound(exchange, "key");
    template.convertAndSend(exchange.getName(), "key", "missing");
    send(exchange, "key", "zero", 0);
    send(exchange, "key", "negative", -60_000);
    assertThat(List.of(text(queue), text(queue), text(queue)))
        .containsExactlyInAnyOrder("missing", "zero", "negative");
  }

  @Test
  void the_longest_delay_that_Spring_lets_through_is_held() {
    Exchange exchange = world.declare(new DirectExchange(unique("long")));
    String queue = world.bound(exchange, "key");
    template.convertAndSend(
        exchange.getName(),
        "key",
        "x",
        message -> {
          message.getMessageProperties().setDelayLong(MessageProperties.X_DELAY_MAX);
          return message;
        });
    assertNothingAt(queue);
  }

  @Test
  void cc_and_bcc_keys_are_routed_by_and_only_bcc_is_hidden() {
    Exchange exchange = world.declare(new DirectExchange(unique("cc")));
    String to = world.bound(exchange, "to");
    String copy = world.bound(exchange, "copy");
    String blind = world.bound(exchange, "blind");
    template.send(
        exchange.getName(),
        "to",
        MessageBuilder.withBody("x".getBytes())
            .setHeader("CC", List.of("copy"))
            .setHeader("BCC", List.of("blind"))
            .setHeader("x-delay", 200)
            .build());
    Message received = receive(to);
    assertThat(received.getMessageProperties().<List<String>>getHeader("CC"))
        .containsExactly("copy");
    assertThat(received.getMessageProperties().getHeaders()).doesNotContainKey("BCC");
    assertThat(text(copy)).isEqualTo("x");
    assertThat(text(blind)).isEqualTo("x");
  }

  @Test
  void a_received_message_is_delayed_five_times_more() {
    Exchange exchange = world.declare(new DirectExchange(unique("again")));
    String queue = world.bound(exchange, "key");
    send(exchange, "key", "again", 150);
    for (int i = 0; i < 5; i++) {
      Message received = receive(queue);
      long sent = System.nanoTime();
      received.getMessageProperties().setDelayLong(150L + i);
      template.send(exchange.getName(), "key", received);
      Message next = template.receive(queue, PATIENCE_MS);
      assertThat(next).isNotNull();
      assertThat(Duration.ofNanos(System.nanoTime() - sent))
          .isGreaterThanOrEqualTo(Duration.ofMillis(150 + i));
      assertThat(next.getMessageProperties().getReceivedDelayLong()).isEqualTo(150 + i);
      template.convertAndSend("", queue, new String(next.getBody()));
    }
    assertThat(text(queue)).isEqualTo("again");
    assertNothingAt(queue);
  }

  @Test
  void properties_and_headers_arrive_as_they_were_set() {
    Exchange exchange = world.declare(new DirectExchange(unique("properties")));
    String queue = world.bound(exchange, "key");
    template.send(
        exchange.getName(),
        "key",
        MessageBuilder.withBody("{}".getBytes())
            .setContentType("application/json")
            .setContentEncoding("utf-8")
            .setCorrelationId("correlation")
            .setMessageId("message-id")
            .setReplyTo("reply-queue")
            .setAppId("app")
            .setType("type")
            .setPriority(3)
            .setTimestamp(new java.util.Date(1_700_000_000_000L))
            .setDeliveryMode(MessageDeliveryMode.PERSISTENT)
            .setHeader("text", "täxt")
            .setHeader("number", 17)
            .setHeader("list", List.of("a", "b"))
            .setHeader("map", Map.of("a", 1L))
            .setHeader("x-delay", 200)
            .build());
    MessageProperties arrived = receive(queue).getMessageProperties();
    assertThat(arrived.getContentType()).isEqualTo("application/json");
    assertThat(arrived.getContentEncoding()).isEqualTo("utf-8");
    assertThat(arrived.getCorrelationId()).isEqualTo("correlation");
    assertThat(arrived.getMessageId()).isEqualTo("message-id");
    assertThat(arrived.getReplyTo()).isEqualTo("reply-queue");
    assertThat(arrived.getAppId()).isEqualTo("app");
    assertThat(arrived.getType()).isEqualTo("type");
    assertThat(arrived.getPriority()).isEqualTo(3);
    assertThat(arrived.getTimestamp()).isEqualTo(new java.util.Date(1_700_000_000_000L));
    assertThat(arrived.getReceivedDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
    assertThat(arrived.getHeaders())
        .containsEntry("text", "täxt")
        .containsEntry("number", 17)
        .containsEntry("list", List.of("a", "b"))
        .containsEntry("map", Map.of("a", 1L));
  }

  private void send(Exchange exchange, String key, String text, long delay) {
    template.convertAndSend(
        exchange.getName(),
        key,
        text,
        message -> {
          message.getMessageProperties().setHeader("x-delay", delay);
          return message;
        });
  }

  private Message receive(String queue) {
    Message received = template.receive(queue, PATIENCE_MS);
    assertThat(received).as("a message in %s", queue).isNotNull();
    return received;
  }

  private String text(String queue) {
    return new String(receive(queue).getBody());
  }

  private void assertNothingAt(String queue) {
    assertThat(template.receive(queue, NOTHING_MS)).isNull();
  }

  private static String unique(String name) {
    return name + "-" + UUID.randomUUID().toString().substring(0, 8);
  }
}
