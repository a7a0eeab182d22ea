// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Removes what our hold queues left in a message's dead-letter headers. The broker keeps one {@code
 * x-death} entry per queue and reason, the latest first. It repeats the first of them, and from
 * 3.13 on the last, in headers of their own.
 */
final class DeadLetterHeaders {
  private DeadLetterHeaders() {}

  static BasicProperties strip(BasicProperties properties, String ourQueues) {
    if (properties.getHeaders() == null) {
      return properties;
    }
    Map<String, @Nullable Object> headers = new LinkedHashMap<>(properties.getHeaders());
    // A queue that dead-letters it after the hold names our exchange, through which it came.
    Object exchange = headers.get(Headers.EXCHANGE);
    List<Map<?, ?>> foreign = foreignDeaths(headers.get("x-death"), ourQueues, exchange);
    if (foreign.isEmpty()) {
      headers.remove("x-death");
    } else {
      headers.put("x-death", foreign);
    }
    // Latest first: the earliest death that was not ours is the last entry.
    if (isOurs(headers.get("x-first-death-queue"), ourQueues)) {
      summarize(
          headers, "x-first-death-", foreign.isEmpty() ? null : foreign.get(foreign.size() - 1));
    }
    if (isOurs(headers.get("x-last-death-queue"), ourQueues)) {
      summarize(headers, "x-last-death-", foreign.isEmpty() ? null : foreign.get(0));
    }
    for (String header : List.of("x-first-death-exchange", "x-last-death-exchange")) {
      if (exchange != null && isOurs(headers.get(header), ourQueues)) {
        headers.put(header, exchange);
      }
    }
    if (headers.get("x-delay") instanceof Number delay && delay.longValue() < 0) {
      headers.remove("x-delay"); // the plugin's mark for "already delayed"
    }
    Instant deliverAt = Headers.deliverAt(headers);
    if (deliverAt != null
        && headers.get(Headers.DELIVERY_TIME) instanceof Number time
        && time.longValue() == deliverAt.toEpochMilli()) {
      headers.put(Headers.DELIVER_AT, deliverAt.toEpochMilli());
      headers.remove(Headers.DELIVERY_TIME); // only the hold needed it
    }
    return properties.builder().headers(headers).build();
  }

  private static List<Map<?, ?>> foreignDeaths(
      @Nullable Object deaths, String ourQueues, @Nullable Object exchange) {
    List<Map<?, ?>> foreign = new ArrayList<>();
    if (deaths instanceof List<?> list) {
      for (Object death : list) {
        if (death instanceof Map<?, ?> entry && !isOurs(entry.get("queue"), ourQueues)) {
          foreign.add(
              exchange != null && isOurs(entry.get("exchange"), ourQueues)
                  ? withExchange(entry, exchange)
                  : entry);
        }
      }
    }
    return foreign;
  }

  private static Map<?, ?> withExchange(Map<?, ?> death, Object exchange) {
    Map<Object, @Nullable Object> corrected = new LinkedHashMap<>(death);
    corrected.put("exchange", exchange);
    return corrected;
  }

  private static boolean isOurs(@Nullable Object name, String ours) {
    return String.valueOf(name).startsWith(ours);
  }

  private static void summarize(
      Map<String, @Nullable Object> headers, String prefix, @Nullable Map<?, ?> death) {
    for (String part : List.of("queue", "reason", "exchange")) {
      if (death == null) {
        headers.remove(prefix + part);
      } else {
        headers.put(prefix + part, death.get(part));
      }
    }
  }
}
