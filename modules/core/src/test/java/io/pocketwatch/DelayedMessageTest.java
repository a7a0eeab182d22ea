// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DelayedMessageTest {
  private static final Instant TOMORROW = Instant.parse("2026-03-02T00:00:00Z");
  private static final DelayedMessage FULL =
      DelayedMessage.to("orders", "order.timeout")
          .body("body")
          .header("tenant", 7)
          .delay(ofMinutes(30))
          .id("o-1")
          .route("timeouts")
          .strategy(DelayStrategy.TTL_QUEUE);

  @Test
  void a_bare_message_is_empty_and_persistent() {
    DelayedMessage bare = DelayedMessage.to("orders", "order.timeout");

    assertThat(bare.exchange()).isEqualTo("orders");
    assertThat(bare.routingKey()).isEqualTo("order.timeout");
    assertThat(bare.body()).isEmpty();
    assertThat(bare.properties().getDeliveryMode()).isEqualTo(2);
    assertThat(bare)
        .extracting("delay", "deliverAt", "id", "route", "strategy")
        .containsOnlyNulls();
  }

  @Test
  void a_queue_is_a_key_of_the_default_exchange() {
    assertThat(DelayedMessage.toQueue("mail").exchange()).isEmpty();
    assertThat(DelayedMessage.toQueue("mail").routingKey()).isEqualTo("mail");
  }

  static UnaryOperator<?>[] changes() {
    return new UnaryOperator<?>[] {
      change(message -> message.body("other")),
      change(message -> message.body(new byte[] {1})),
      change(message -> message.properties(new BasicProperties())),
      change(message -> message.header("other", 1)),
      change(message -> message.delay(ofMinutes(1))),
      change(message -> message.deliverAt(TOMORROW)),
      change(message -> message.id("other")),
      change(message -> message.route("other")),
      change(message -> message.strategy(DelayStrategy.QUEUE_WHEEL)),
    };
  }

  @ParameterizedTest
  @MethodSource("changes")
  void every_change_is_a_copy_that_keeps_the_rest(UnaryOperator<DelayedMessage> change) {
    DelayedMessage changed = change.apply(FULL);

    assertThat(changed).isNotSameAs(FULL);
    assertThat(new String(FULL.body(), UTF_8)).isEqualTo("body");
    assertThat(FULL.properties().getHeaders()).isEqualTo(Map.of("tenant", 7));
    assertThat(FULL)
        .extracting("exchange", "routingKey", "delay", "deliverAt", "id", "route", "strategy")
        .containsExactly(
            "orders",
            "order.timeout",
            ofMinutes(30),
            null,
            "o-1",
            "timeouts",
            DelayStrategy.TTL_QUEUE);
    assertThat(change.apply(change.apply(FULL)))
        .isEqualTo(changed)
        .hasSameHashCodeAs(changed)
        .isNotEqualTo(FULL);
  }

  @Test
  void one_change_changes_one_thing() {
    assertThat(FULL.id("o-2")).usingRecursiveComparison().ignoringFields("id").isEqualTo(FULL);
    assertThat(FULL.id("o-2").id()).isEqualTo("o-2");
    assertThat(FULL.header("other", null).properties().getHeaders())
        .containsEntry("tenant", 7)
        .containsEntry("other", null);
    assertThat(FULL.header("other", 1).properties().getDeliveryMode()).isEqualTo(2);
  }

  @Test
  void delay_and_instant_replace_each_other() {
    assertThat(FULL.deliverAt(TOMORROW).delay()).isNull();
    assertThat(FULL.deliverAt(TOMORROW).deliverAt()).isEqualTo(TOMORROW);
    assertThat(FULL.deliverAt(TOMORROW).delay(ofMinutes(1)).deliverAt()).isNull();
  }

  @Test
  void the_callers_array_and_map_may_change_afterwards() {
    byte[] body = {1, 2};
    Map<String, Object> headers = new HashMap<>(Map.of("tenant", 7));
    DelayedMessage message =
        FULL.body(body).properties(new BasicProperties.Builder().headers(headers).build());

    body[0] = 9;
    headers.put("tenant", 8);

    assertThat(message.body()).containsExactly(1, 2);
    assertThat(message.properties().getHeaders()).isEqualTo(Map.of("tenant", 7));
  }

  @Test
  void null_is_refused_by_name() {
    assertThatNullPointerException()
        .isThrownBy(() -> DelayedMessage.to(null, "k"))
        .withMessage("exchange");
    assertThatNullPointerException().isThrownBy(() -> FULL.delay(null)).withMessage("delay");
    assertThatNullPointerException().isThrownBy(() -> FULL.id(null)).withMessage("id");
    assertThatNullPointerException()
        .isThrownBy(() -> FULL.body((byte[]) null))
        .withMessageStartingWith("body is null");
    assertThatNullPointerException()
        .isThrownBy(() -> FULL.body((String) null))
        .withMessageStartingWith("body is null");
  }

  @Test
  void its_text_names_the_target_and_not_the_payload() {
    assertThat(FULL.body("secret").header("token", "secret"))
        .hasToString(
            "DelayedMessage[exchange=orders, routingKey=order.timeout, delay=PT30M,"
                + " deliverAt=null, id=o-1, 6 bytes]");
  }

  private static UnaryOperator<DelayedMessage> change(UnaryOperator<DelayedMessage> change) {
    return change;
  }
}
