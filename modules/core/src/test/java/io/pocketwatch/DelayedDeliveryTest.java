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
import org.junit.jupiter.params.provider.ValueSource;

class DelayedDeliveryTest {
  private static final Instant DELIVER_AT = Instant.parse("2026-03-01T10:15:30.123Z");
  private static final Envelope ENVELOPE =
      new Envelope(1, false, "pocketwatch.queues", "order.timeout");

  /** As the client reads them off the wire: strings are LongStrings. */
  private static final Map<String, Object> HEADERS =
      Map.of(
          Headers.ID, LongStringHelper.asLongString("o-1"),
          Headers.DELIVER_AT, DELIVER_AT.toEpochMilli(),
          Headers.EXCHANGE, LongStringHelper.asLongString("orders"),
          Headers.STRATEGY, LongStringHelper.asLongString("QUEUE_WHEEL"));

  @Test
  void itTellsWhatWasPlanned() {
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
  void latenessIsNegativeForAnEarlyArrival() {
    DelayedDelivery delivery = DelayedDelivery.of(ENVELOPE, properties(HEADERS)).orElseThrow();

    assertThat(delivery.lateness(DELIVER_AT.plusMillis(12))).isEqualTo(ofMillis(12));
    assertThat(delivery.lateness(DELIVER_AT.minusMillis(3))).isEqualTo(ofMillis(-3));
  }

  @ParameterizedTest
  @ValueSource(strings = {Headers.ID, Headers.DELIVER_AT, Headers.EXCHANGE, Headers.STRATEGY})
  void aMessageWithoutOneOfOurHeadersIsNotOurs(String missing) {
    Map<String, Object> headers = new HashMap<>(HEADERS);
    headers.remove(missing);

    assertThat(DelayedDelivery.of(ENVELOPE, properties(headers))).isEmpty();
  }

  @Test
  void anybodysMessageIsNotOurs() {
    assertThat(DelayedDelivery.of(ENVELOPE, new BasicProperties())).isEmpty();
    assertThat(DelayedDelivery.of(ENVELOPE, properties(with(Headers.DELIVER_AT, "tomorrow"))))
        .isEmpty();
    assertThat(DelayedDelivery.of(ENVELOPE, properties(with(Headers.STRATEGY, "A_LATER_ONE"))))
        .isEmpty();
  }

  @Test
  void ourDeadLetterHeadersAreTakenOffByPrefix() {
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
