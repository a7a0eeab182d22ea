// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Properties of copies that no publisher of ours sent. */
final class Copies {
  private Copies() {}

  /** One more copy of a tracked message, as a broker that crashed may deliver it. */
  static BasicProperties tracked(String route, String id, int generation) {
    Map<String, Object> headers = headers(id, Instant.now());
    headers.put(Headers.ROUTE, route);
    headers.put(Headers.GENERATION, generation);
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
    headers.put(Headers.EXCHANGE, "");
    return headers;
  }
}
