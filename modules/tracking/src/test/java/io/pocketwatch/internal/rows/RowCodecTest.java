// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import static io.pocketwatch.internal.rows.PlanFixture.NOW;
import static io.pocketwatch.internal.rows.PlanFixture.ORDER;
import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.math.BigDecimal;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a message is after its time in the database. */
class RowCodecTest {
  private static final DelayRoute TRACKED =
      DelayRoute.builder("timeouts").exchange("orders").tracking(Tracking.FULL).build();

  private final PlanFixture planning =
      new PlanFixture(DelayRoutes.builder().route(TRACKED).build());

  @Test
  void every_type_of_header_survives() {
    Map<String, Object> headers = new HashMap<>();
    headers.put("byte", (byte) 1);
    headers.put("short", (short) 2);
    headers.put("int", 3);
    headers.put("long", 4L);
    headers.put("float", 1.5f);
    headers.put("double", 2.5);
    headers.put("decimal", new BigDecimal("1.25"));
    headers.put("date", new Date(1_700_000_000_000L));
    headers.put("flag", true);
    headers.put("nothing", null);
    headers.put("bytes", new byte[] {1, 2});
    headers.put("table", Map.of("nested", List.of(1L, 2)));
    BasicProperties properties =
        new BasicProperties.Builder().headers(headers).deliveryMode(2).priority(7).build();

    BasicProperties read = read(ORDER.properties(properties)).message().properties();

    assertThat(read.getPriority()).isEqualTo(7);
    assertThat(read.getHeaders()).usingRecursiveComparison().isEqualTo(headers);
  }

  @Test
  void the_brokers_own_instant_of_delivery_is_not_kept() {
    BasicProperties kept =
        read(ORDER.header(DeliveryTime.HEADER, 4_000_000_000_000L)).message().properties();

    assertThat(kept.getHeaders()).doesNotContainKey(DeliveryTime.HEADER);
  }

  @Test
  void tracing_makes_it_no_other_message() {
    Map<String, Object> headers = new HashMap<>();
    List.of("traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId", "x-b3-spanid")
        .forEach(trace -> headers.put(trace, "of the first call"));
    List.of("customer", "region", "tenant", "shop", "a", "b", "c", "d", "e", "f", "g")
        .forEach(own -> headers.put(own, "ours"));
    byte[] first = encoded(headers);
    headers.put("traceparent", "of another");
    assertThat(RowCodec.sameProperties(first, encoded(headers))).isTrue();
    headers.values().removeIf(value -> !value.equals("ours"));
    assertThat(RowCodec.sameProperties(first, encoded(headers))).isTrue();
    headers.put("customer", "another");
    assertThat(RowCodec.sameProperties(first, encoded(headers))).isFalse();
    assertThat(RowCodec.sameProperties(first, new byte[] {1, 2})).isFalse();
    assertThat(RowCodec.sameProperties(encoded(null), encoded(Map.of("b3", "0")))).isTrue();
  }

  private byte[] encoded(Map<String, Object> headers) {
    BasicProperties properties = new BasicProperties.Builder().headers(headers).build();
    return RowCodec.of(planning.accept(ORDER.properties(properties).delay(ofDays(3)))).properties();
  }

  @Test
  void its_row_says_how_long_it_is_kept() {
    ScheduledMessage row =
        RowCodec.of(planning.accept(ORDER.businessKey("customer-7").delay(ofDays(3))));

    assertThat(row.key()).hasToString("timeouts/o-1");
    assertThat(row.businessKey()).isEqualTo("customer-7");
    assertThat(row.tracking()).isEqualTo(Tracking.FULL);
    assertThat(row.deliverAt()).isAfter(NOW.plus(ofDays(3)).minusMillis(1));
  }

  @Test
  void its_copies_carry_the_generation_and_the_route() {
    Submission read = read(ORDER.delay(ofDays(3)));

    Map<String, Object> headers = planning.planner().plan(read, NOW).properties().getHeaders();
    assertThat(headers)
        .containsEntry(Headers.GENERATION, 5)
        .containsEntry(Headers.ROUTE, "timeouts");
  }

  @Test
  void a_route_that_was_removed_does_not_keep_its_messages() {
    ScheduledMessage row = RowCodec.of(planning.accept(ORDER.delay(ofDays(3))));

    Submission read = RowCodec.read(stored(row), DelayRoutes.none());

    assertThat(read.route().name()).isEqualTo("timeouts");
    assertThat(read.message().exchange()).isEqualTo("orders");
    assertThat(read.generation()).isEqualTo(5);
  }

  @Test
  void what_the_broker_or_a_database_would_refuse_is_refused_when_it_is_scheduled() {
    refused(ORDER.businessKey("x".repeat(201)), "business key");
    refused(ORDER.businessKey("a "), "business key");
    refused(DelayedMessage.to("orders", "a "), "routing key");
    refused(ORDER.businessKey("a\0b"), "business key");
    refused(ORDER.id("a\0b"), "id");
    refused(DelayedMessage.to("orders", "a\0b"), "routing key");
    refused(ORDER.properties(new BasicProperties.Builder().userId("somebody").build()), "user-id");
    refused(
        ORDER.properties(new BasicProperties.Builder().expiration("100").build()), "expiration");
    refused(ORDER.header("large", "x".repeat(130_000)), "properties");
    refused(DelayedMessage.toQueue("pocketwatch.wheel.quorum.1s.7"), "one of Pocketwatch's own");
  }

  private void refused(DelayedMessage message, String what) {
    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(
            () -> planning.planner().requireSendable(planning.accept(message.delay(ofDays(3)))))
        .withMessageContaining(what);
  }

  private Submission read(DelayedMessage message) {
    return RowCodec.read(stored(RowCodec.of(planning.accept(message))), planning.routes());
  }

  private static StoredMessage stored(ScheduledMessage row) {
    return new StoredMessage(
        row, MessageState.PENDING, 5, 0, row.deliverAt(), null, null, NOW, NOW, null, null);
  }
}
