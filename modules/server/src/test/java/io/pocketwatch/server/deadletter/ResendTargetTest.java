// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.topology.Names;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What waits as unroutable: whether it may go on, where to, and why not. */
class ResendTargetTest {
  private static final Names NAMES = new Names("pocketwatch");
  private static final Instant NOW = Instant.parse("2027-01-01T12:00:00Z");
  private static final String HOLD = "pocketwatch.wheel.quorum.1s.7";

  @Test
  void goes_where_it_was_addressed_to_once_it_is_due() {
    assertThat(onward("order.timeout", "orders", Map.of()))
        .isEqualTo(new ResendTarget(null, "orders", "order.timeout"));
    assertThat(onward("mail", "", Map.of())).isEqualTo(new ResendTarget(null, "", "mail"));
  }

  @Test
  void stays_until_it_is_due() {
    long later = NOW.plusMillis(1).toEpochMilli();
    assertThat(onward("key", "orders", Map.of(Headers.DELIVER_AT, later)).obstacle())
        .isEqualTo(ResendTarget.NOT_DUE);
    assertThat(onward("key", "orders", Map.of(Headers.DEFERRED_UNTIL, later)).obstacle())
        .isEqualTo(ResendTarget.NOT_DUE);
  }

  @Test
  void never_goes_into_a_queue_or_exchange_of_ours() {
    assertThat(onward(HOLD, "", Map.of()).obstacle())
        .isEqualTo(
            "moved by hand, and queue '%s' stands in place of its routing key".formatted(HOLD));
    assertThat(onward(HOLD, "orders", Map.of()).obstacle()).endsWith("its exchange was 'orders'");
    assertThat(onward("key", "pocketwatch.release", Map.of()).obstacle())
        .isEqualTo("addressed to 'pocketwatch.release', an exchange of ours");
  }

  @Test
  void has_its_key_again_where_the_broker_noted_it_before_the_move() {
    Map<String, Object> moved =
        Map.of("queue", HOLD, "exchange", "", "routing-keys", List.of(HOLD));
    Map<String, Object> before =
        Map.of(
            "queue", "pocketwatch.wheel.quorum.1m.3",
            "exchange", "pocketwatch.wheel.quorum.1m",
            "routing-keys", List.of("order.timeout"));
    assertThat(onward(HOLD, "orders", Map.of("x-death", List.of(moved, before))))
        .isEqualTo(new ResendTarget(null, "orders", "order.timeout"));
  }

  @Test
  void only_a_hand_changes_a_key() {
    Map<String, Object> headers =
        Map.of(
            Headers.DELIVER_AT,
            NOW.toEpochMilli(),
            Headers.EXCHANGE,
            "",
            "x-death",
            List.of(
                Map.of(
                    "queue",
                    HOLD,
                    "exchange",
                    "pocketwatch.wheel.quorum.1s",
                    "routing-keys",
                    List.of("mail"))));
    assertThat(of("pocketwatch.unroutable", "backup", headers))
        .isEqualTo(new ResendTarget(null, "", "mail"));
    assertThat(of("pocketwatch.release", "post", headers))
        .as("of an earlier life")
        .isEqualTo(new ResendTarget(null, "", "post"));
  }

  @Test
  void a_copy_of_what_goes_its_own_way_stays() {
    assertThat(
            onward(
                    "key",
                    "orders",
                    Map.of(
                        "x-received-from",
                        List.of(
                            Map.of("exchange", "orders"),
                            Map.of("exchange", "pocketwatch.release"))))
                .obstacle())
        .contains("federation", "'pocketwatch.release'");
    assertThat(
            onward(
                    "key",
                    "orders",
                    Map.of("x-shovelled", List.of(Map.of("src-exchange", "pocketwatch.deliver"))))
                .obstacle())
        .contains("shovel", "'pocketwatch.deliver'");
  }

  @Test
  void what_came_over_the_users_own_federation_or_was_moved_goes() {
    assertThat(
            onward(
                    "key",
                    "orders",
                    Map.of(
                        "x-received-from",
                        List.of(Map.of("exchange", "orders")),
                        "x-shovelled",
                        List.of(Map.of("src-queue", HOLD))))
                .obstacle())
        .isNull();
  }

  private static ResendTarget onward(String key, String exchange, Map<String, Object> more) {
    Map<String, Object> headers = new HashMap<>();
    headers.put(Headers.DELIVER_AT, NOW.toEpochMilli());
    headers.put(Headers.EXCHANGE, exchange);
    headers.putAll(more);
    return of("pocketwatch.deliver", key, headers);
  }

  private static ResendTarget of(String exchange, String key, Map<String, Object> headers) {
    Envelope envelope = new Envelope(1, false, exchange, key);
    BasicProperties properties =
        new BasicProperties.Builder().messageId("id").headers(headers).build();
    return ResendTarget.of(
        envelope, DelayedDelivery.of(envelope, properties).orElseThrow(), NAMES, NOW);
  }
}
