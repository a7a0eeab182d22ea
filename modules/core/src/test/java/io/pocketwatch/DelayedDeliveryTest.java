// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.impl.LongStringHelper;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DelayedDeliveryTest {
  private static final Instant DELIVER_AT = Instant.parse("2026-03-01T10:15:30.123Z");
  private static final Envelope ENVELOPE =
      new Envelope(1, false, "pocketwatch.queues", "order.timeout");

  /** As the client reads them off the wire: strings are LongStrings. */
  private static final Map<String, Object> HEADERS =
      Map.of(
          Headers.ID,
          LongStringHelper.asLongString("o-1"),
          Headers.DELIVER_AT,
          DELIVER_AT.toEpochMilli(),
          Headers.EXCHANGE,
          LongStringHelper.asLongString("orders"),
          "x-first-death-queue",
          LongStringHelper.asLongString("shop.wheel.quorum.1h.3"));

  @Test
  void it_tells_what_was_planned() {
    BasicProperties properties = properties(HEADERS);

    assertThat(DelayedDelivery.of(new Delivery(ENVELOPE, properties, new byte[0])))
        .contains(
            new DelayedDelivery(
                "o-1",
                DELIVER_AT,
                DelayStrategy.QUEUE_WHEEL,
                "orders",
                "order.timeout",
                properties));
  }

  @Test
  void lateness_is_negative_for_an_early_arrival() {
    DelayedDelivery delivery = DelayedDelivery.of(ENVELOPE, properties(HEADERS)).orElseThrow();

    assertThat(delivery.lateness(DELIVER_AT.plusMillis(12))).isEqualTo(ofMillis(12));
    assertThat(delivery.lateness(DELIVER_AT.minusMillis(3))).isEqualTo(ofMillis(-3));
  }

  @ParameterizedTest
  @ValueSource(strings = {Headers.ID, Headers.DELIVER_AT})
  void aMessageWithoutOneOfOurHeadersIsNotOurs(String missing) {
    Map<String, Object> headers = new HashMap<>(HEADERS);
    headers.remove(missing);

    assertThat(DelayedDelivery.of(ENVELOPE, properties(headers))).isEmpty();
  }

  @Test
  void anybodys_message_is_not_ours() {
    assertThat(DelayedDelivery.of(ENVELOPE, new BasicProperties())).isEmpty();
    assertThat(DelayedDelivery.of(ENVELOPE, properties(with(Headers.DELIVER_AT, "tomorrow"))))
        .isEmpty();
  }

  /** RabbitMQ's header is a user's own, or says until when a copy was held again. */
  @Test
  void what_was_held_by_its_time_has_it_in_the_brokers_header() {
    Map<String, Object> headers = with("x-opt-delivery-time", DELIVER_AT.toEpochMilli());
    headers.remove(Headers.DELIVER_AT);

    assertThat(DelayedDelivery.of(ENVELOPE, properties(headers)).orElseThrow().deliverAt())
        .isEqualTo(DELIVER_AT);
    headers.put(Headers.ROUTING_KEY, "key");
    assertThat(Headers.deliverAt(headers)).isNull();
    headers.keySet().removeAll(List.of(Headers.ROUTING_KEY, Headers.EXCHANGE));
    assertThat(Headers.deliverAt(headers)).isNull();
    assertThat(Headers.deliverAt(null)).isNull();
    headers.put(Headers.DELIVER_AT, 5L);
    assertThat(Headers.deliverAt(headers)).isEqualTo(Instant.ofEpochMilli(5));
  }

  @Test
  void its_time_is_in_our_header_where_the_holds_are_taken_off() {
    Map<String, Object> headers = with("x-opt-delivery-time", DELIVER_AT.toEpochMilli());
    headers.remove(Headers.DELIVER_AT);

    assertThat(
            DelayedDelivery.of(ENVELOPE, properties(headers))
                .orElseThrow()
                .withoutDeadLetterHeaders("shop")
                .getHeaders())
        .containsEntry(Headers.DELIVER_AT, DELIVER_AT.toEpochMilli())
        .doesNotContainKey("x-opt-delivery-time");
  }

  @Test
  void the_message_id_is_its_id_unless_a_header_is() {
    BasicProperties properties = properties(HEADERS).builder().messageId("their-own").build();
    Map<String, Object> headers = new HashMap<>(HEADERS);
    headers.remove(Headers.ID);
    BasicProperties once = properties.builder().headers(headers).build();

    assertThat(DelayedDelivery.of(ENVELOPE, properties).orElseThrow().id()).isEqualTo("o-1");
    assertThat(DelayedDelivery.of(ENVELOPE, once).orElseThrow().id()).isEqualTo("their-own");
  }

  @ParameterizedTest
  @CsvSource({
    "pocketwatch.wheel.quorum-high.10ms.99, QUEUE_WHEEL",
    "a.ttl.b.wheel.classic.1d.2, QUEUE_WHEEL",
    "pocketwatch.ttl.quorum.1800000, TTL_QUEUE",
    "pocketwatch.temporary.o-1, TEMPORARY_QUEUE",
    "orders.retry, IMMEDIATE",
    ", IMMEDIATE"
  })
  void theFirstQueueItDiedInTellsHowItWasHeld(String queue, DelayStrategy strategy) {
    Map<String, Object> headers = with("x-first-death-queue", queue);

    assertThat(DelayedDelivery.of(ENVELOPE, properties(headers)).orElseThrow().strategy())
        .isEqualTo(strategy);
  }

  @Test
  void the_plugins_mark_tells_that_its_exchange_held_it() {
    Map<String, Object> headers = with("x-delay", -5_000);
    assertThat(DelayedDelivery.of(ENVELOPE, properties(headers)).orElseThrow().strategy())
        .as("Spring's mark on what the wheel held")
        .isEqualTo(DelayStrategy.QUEUE_WHEEL);

    headers.remove("x-first-death-queue");
    assertThat(DelayedDelivery.of(ENVELOPE, properties(headers)).orElseThrow().strategy())
        .isEqualTo(DelayStrategy.DELAYED_EXCHANGE);
  }

  @Test
  void what_was_not_held_was_addressed_to_the_exchange_it_came_from() {
    Map<String, Object> headers = new HashMap<>(HEADERS);
    headers.remove(Headers.EXCHANGE);
    DelayedDelivery delivery = DelayedDelivery.of(ENVELOPE, properties(headers)).orElseThrow();

    assertThat(delivery.strategy()).isEqualTo(DelayStrategy.IMMEDIATE);
    assertThat(delivery.exchange()).isEqualTo("pocketwatch.queues");
  }

  @Test
  void our_dead_letter_headers_are_taken_off_by_prefix() {
    Map<String, Object> headers =
        with("x-death", List.of(Map.of("queue", "pocketwatch.ttl.quorum.1")));
    DelayedDelivery delivery = DelayedDelivery.of(ENVELOPE, properties(headers)).orElseThrow();

    assertThat(delivery.withoutDeadLetterHeaders("pocketwatch").getHeaders()).isEqualTo(HEADERS);
    assertThat(delivery.withoutDeadLetterHeaders("pocket").getHeaders()).isEqualTo(headers);
    assertThat(delivery.properties().getHeaders()).isEqualTo(headers);
  }

  private static Map<String, Object> with(String name, Object value) {
    Map<String, Object> headers = new HashMap<>(HEADERS);
    headers.put(name, value);
    return headers;
  }

  private static BasicProperties properties(Map<String, Object> headers) {
    return new BasicProperties.Builder().headers(headers).build();
  }
}
