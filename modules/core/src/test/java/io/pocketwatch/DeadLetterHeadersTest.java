// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeadLetterHeadersTest {
  private static final Map<String, Object> HOUR = death("pocketwatch.wheel.quorum.1h.1");
  private static final Map<String, Object> OUT = death("pocketwatch.out.orders");
  private static final Map<String, Object> RETRY = death("orders.retry");
  private static final Map<String, Object> WORK = death("pocketwatchers"); // not ours

  @Test
  void what_only_our_queues_left_is_gone() {
    Map<String, Object> headers = headers(List.of(OUT, HOUR), HOUR, OUT);

    assertThat(strip(headers)).isEqualTo(Map.of("tenant", 7));
  }

  @Test
  void deaths_in_other_queues_stay_in_their_order() {
    Map<String, Object> headers = headers(List.of(OUT, RETRY, HOUR, WORK), WORK, OUT);

    assertThat(strip(headers)).isEqualTo(headers(List.of(RETRY, WORK), WORK, RETRY));
  }

  @Test
  void the_first_death_is_the_earliest_in_another_queue() {
    Map<String, Object> headers = headers(List.of(RETRY, WORK, OUT, HOUR), HOUR, RETRY);

    assertThat(strip(headers)).isEqualTo(headers(List.of(RETRY, WORK), WORK, RETRY));
  }

  @Test
  void a_first_death_in_another_queue_stays_even_if_it_died_there_again() {
    // Dying in a queue again moves its entry to the front, so the order does not tell the first.
    Map<String, Object> headers = headers(List.of(RETRY, WORK), RETRY, RETRY);

    assertThat(strip(headers)).isEqualTo(headers);
  }

  @Test
  void brokers_before313_have_no_last_death() {
    Map<String, Object> headers = headers(List.of(OUT, RETRY), RETRY, OUT);
    headers.keySet().removeIf(name -> name.startsWith("x-last-death-"));

    assertThat(strip(headers))
        .containsEntry("x-first-death-queue", text("orders.retry"))
        .doesNotContainKey("x-last-death-queue");
  }

  @Test
  void the_plugins_mark_goes_and_a_delay_stays() {
    assertThat(strip(Map.of("x-delay", -5_000))).isEmpty();
    assertThat(strip(Map.of("x-delay", -5_000L))).isEmpty();
    assertThat(strip(Map.of("x-delay", 5_000))).isEqualTo(Map.of("x-delay", 5_000));
  }

  @Test
  void everything_else_is_left_as_it_is() {
    Map<String, Object> headers = new HashMap<>(Map.of("tenant", 7, Headers.ID, "o-1"));
    headers.put("nothing", null);
    BasicProperties properties =
        new BasicProperties.Builder().headers(headers).priority(3).messageId("m").build();
    BasicProperties bare = new BasicProperties.Builder().messageId("m").build();

    assertThat(DeadLetterHeaders.strip(properties, "pocketwatch.")).isEqualTo(properties);
    assertThat(DeadLetterHeaders.strip(bare, "pocketwatch.")).isSameAs(bare);
  }

  @Test
  void the_arrived_properties_are_not_changed() {
    Map<String, Object> headers = headers(List.of(OUT, RETRY), RETRY, OUT);
    BasicProperties properties = new BasicProperties.Builder().headers(headers).build();

    DeadLetterHeaders.strip(properties, "pocketwatch.");

    assertThat(properties.getHeaders()).isEqualTo(headers);
  }

  private static Map<String, Object> strip(Map<String, Object> headers) {
    BasicProperties properties = new BasicProperties.Builder().headers(headers).build();
    return DeadLetterHeaders.strip(properties, "pocketwatch.").getHeaders();
  }

  /** As a broker from 3.13 on sets them. */
  private static Map<String, Object> headers(
      List<Map<String, Object>> deaths, Map<String, Object> first, Map<String, Object> last) {
    Map<String, Object> headers = new HashMap<>();
    headers.put("tenant", 7);
    headers.put("x-death", deaths);
    for (String part : List.of("queue", "reason", "exchange")) {
      headers.put("x-first-death-" + part, first.get(part));
      headers.put("x-last-death-" + part, last.get(part));
    }
    return headers;
  }

  private static Map<String, Object> death(String queue) {
    return Map.of(
        "queue", text(queue),
        "reason", text("expired"),
        "exchange", text("from-" + queue),
        "count", 1L);
  }

  private static Object text(String text) {
    return LongStringHelper.asLongString(text);
  }
}
