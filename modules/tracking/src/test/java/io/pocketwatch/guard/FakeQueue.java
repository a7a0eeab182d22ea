// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.Headers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A queue at the broker, and what became of its messages. */
final class FakeQueue {
  /** One copy of a message. */
  record Copy(BasicProperties properties, boolean redelivered) {
    static Copy tracked(String id, int generation) {
      return new Copy(
          properties(id, Map.of(Headers.ROUTE, "route", Headers.GENERATION, generation)), false);
    }

    static Copy untracked(String id) {
      return new Copy(properties(id, Map.of()), false);
    }

    /** Due then. */
    Copy due(java.time.Instant then) {
      Map<String, Object> headers = new HashMap<>(properties.getHeaders());
      headers.put(Headers.DELIVER_AT, then.toEpochMilli());
      headers.put(Headers.EXCHANGE, "");
      return new Copy(properties.builder().headers(headers).build(), redelivered);
    }

    /** As the broker marks what it has dead-lettered. */
    Copy deadLetteredFrom(String queue) {
      Map<String, Object> headers = new HashMap<>(properties.getHeaders());
      headers.put("x-death", List.of(Map.of("queue", queue)));
      return new Copy(properties.builder().headers(headers).build(), redelivered);
    }

    private static BasicProperties properties(String id, Map<String, Object> headers) {
      return new BasicProperties.Builder().messageId(id).headers(headers).build();
    }

    String id() {
      return Objects.requireNonNull(properties.getMessageId());
    }

    boolean isTracked() {
      return properties.getHeaders().containsKey(Headers.ROUTE);
    }

    int generation() {
      return (int) properties.getHeaders().get(Headers.GENERATION);
    }

    Envelope envelope(long tag) {
      return new Envelope(tag, redelivered, "", GuardedQueueScene.QUEUE);
    }

    Copy again() {
      return new Copy(properties, true);
    }
  }

  final Deque<Copy> waiting = new ArrayDeque<>();
  final List<Copy> deadLetters = new ArrayList<>();

  boolean has(String id) {
    return waiting.stream().anyMatch(each -> each.id().equals(id));
  }

  /** In front, where they came from. */
  void putBack(List<Copy> copies) {
    for (int i = copies.size() - 1; i >= 0; i--) {
      waiting.addFirst(copies.get(i).again());
    }
  }
}
