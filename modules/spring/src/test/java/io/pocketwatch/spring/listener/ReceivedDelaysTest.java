// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.Headers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;

class ReceivedDelaysTest {
  private static final Map<String, Object> OURS =
      Map.of("queue", "pocketwatch.hold", "reason", "expired", "count", 1L, "exchange", "x");
  private static final Map<String, Object> THEIRS =
      Map.of("queue", "work", "reason", "rejected", "count", 2L, "exchange", "pocketwatch.release");

  private static Message received(Map<String, Object> more) {
    BasicProperties properties = Copies.untracked("id", Instant.EPOCH, more);
    Envelope envelope = new Envelope(7, false, "pocketwatch.release", "work");
    MessageProperties converted =
        new DefaultMessagePropertiesConverter().toMessageProperties(properties, envelope, "UTF-8");
    converted.setConsumerQueue("work");
    return new Message(new byte[] {1}, converted);
  }

  private static MessageProperties cleaned(Map<String, Object> more) {
    return ReceivedDelays.cleaning("pocketwatch")
        .postProcessMessage(received(more))
        .getMessageProperties();
  }

  @Test
  void what_names_its_row_and_what_delayed_it_is_gone() {
    MessageProperties cleaned =
        cleaned(Map.of(Headers.ROUTE, "r", Headers.GENERATION, 1, "x-delay", -10, "color", "red"));

    assertThat(cleaned.getHeaders())
        .containsOnlyKeys(Headers.ID, Headers.DELIVER_AT, Headers.EXCHANGE, "color");
    assertThat(cleaned.getReceivedDelayLong()).isEqualTo(10);
    assertThat(cleaned.getReceivedExchange()).isEqualTo("shop");
    assertThat(cleaned.getReceivedRoutingKey()).isEqualTo("work");
  }

  @Test
  void a_copy_that_was_held_again_has_its_own_routing_key_and_copies() {
    MessageProperties cleaned =
        cleaned(Map.of(Headers.ROUTING_KEY, "order.timeout", Headers.CC, List.of("also")));

    assertThat(cleaned.getReceivedRoutingKey()).isEqualTo("order.timeout");
    assertThat(cleaned.getHeaders())
        .containsEntry("CC", List.of("also"))
        .doesNotContainKeys(Headers.ROUTING_KEY, Headers.CC);
  }

  @Test
  void deaths_of_other_queues_stay_and_name_the_exchange_it_was_sent_to() {
    MessageProperties cleaned = cleaned(Map.of("x-death", List.of(OURS, THEIRS)));

    assertThat(cleaned.getXDeathHeader())
        .singleElement()
        .satisfies(
            death -> {
              assertThat(death.get("queue")).isEqualTo("work");
              assertThat(death.get("exchange")).isEqualTo("shop");
            });
  }

  @Test
  void the_retry_count_it_was_sent_with_replaces_the_count_of_our_queues() {
    Map<String, Object> held = Map.of("x-death", List.of(OURS));
    assertThat(received(held).getMessageProperties().getRetryCount()).isEqualTo(1); // Spring's
    Map<String, Object> marked =
        Map.of("x-death", List.of(OURS), ReceivedDelays.SENT_RETRY_COUNT, 0L);
    assertThat(cleaned(marked).getRetryCount()).isZero();
    assertThat(cleaned(marked).getHeaders()).doesNotContainKey(ReceivedDelays.SENT_RETRY_COUNT);
    assertThat(cleaned(held).getRetryCount()).isEqualTo(1); // no way to tell
  }

  @Test
  void cleaning_twice_changes_nothing_more() {
    Message message = received(Map.of("x-delay", -10, "x-death", List.of(OURS, THEIRS)));
    Message once = ReceivedDelays.cleaning("pocketwatch").postProcessMessage(message);
    Message again = ReceivedDelays.cleanCopy(once, "pocketwatch", null);

    assertThat(again.getMessageProperties()).isEqualTo(once.getMessageProperties());
  }

  @Test
  void the_delay_is_told_as_with_the_plugin_and_asked_for_only_anew() {
    MessageProperties cleaned = cleaned(Map.of("x-delay", -10));
    assertThat(cleaned.getDelayLong()).isEqualTo(10);
    assertThat(cleaned.getHeaders()).doesNotContainKey("x-delay");

    cleaned.setDelayLong(10L);
    assertThat(cleaned.getHeaders()).containsEntry("x-delay", 10L);
  }

  @Test
  void a_delay_longer_than_springs_longest_can_be_copied() {
    MessageProperties cleaned = cleaned(Map.of("x-delay", -2 * MessageProperties.X_DELAY_MAX));
    assertThat(cleaned.getDelayLong()).isNull();
    assertThat(MessageBuilder.withBody(new byte[0]).copyProperties(cleaned).build()).isNotNull();
  }

  @Test
  void a_copy_leaves_the_original_and_keeps_what_the_container_set() {
    Message message = received(Map.of(Headers.ROUTE, "r", Headers.GENERATION, 1));
    Message copy = ReceivedDelays.cleanCopy(message, "pocketwatch", null);

    assertThat(copy.getMessageProperties().getConsumerQueue()).isEqualTo("work");
    assertThat(copy.getMessageProperties().getDeliveryTag()).isEqualTo(7);
    assertThat(message.getMessageProperties().getHeaders()).containsKey(Headers.ROUTE);
    assertThat(copy.getMessageProperties().getHeaders()).doesNotContainKey(Headers.ROUTE);
  }

  @Test
  void messages_of_others_are_the_same_objects() {
    Message message = new Message(new byte[0], new MessageProperties());
    message.getMessageProperties().setHeader("x-delay", 5L);

    assertThat(ReceivedDelays.cleanCopy(message, "pocketwatch", null)).isSameAs(message);
    assertThat(message.getMessageProperties().getHeaders()).containsEntry("x-delay", 5L);
  }
}
