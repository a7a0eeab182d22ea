// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import io.pocketwatch.store.MessageKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Properties of copies that no publisher of ours sent. */
final class Copies {
  private Copies() {}

  static BasicProperties tracked(MessageKey key) {
    Map<String, Object> headers = headers(key.id(), Instant.now());
    headers.put(Headers.ROUTE, key.route());
    headers.put(Headers.GENERATION, 1);
    return new BasicProperties.Builder().headers(headers).build();
  }

  static BasicProperties untracked(String id, Instant deliverAt, Map<String, Object> more) {
    Map<String, Object> headers = headers(id, deliverAt);
    headers.putAll(more);
    return new BasicProperties.Builder().headers(headers).build();
  }

  private static Map<String, Object> headers(String id, Instant deliverAt) {
    Map<String, Object> headers = new HashMap<>();
    headers.put(Headers.ID, id);
    headers.put(Headers.DELIVER_AT, deliverAt.toEpochMilli());
    headers.put(Headers.EXCHANGE, "shop");
    return headers;
  }
}
