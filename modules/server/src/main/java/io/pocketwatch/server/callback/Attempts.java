// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import java.util.LinkedHashMap;
import java.util.Map;

/** How often a message was tried, which it carries with it. */
final class Attempts {
  private static final String HEADER = "pocketwatch-callback-attempts";

  private static final int MOST = 1_000_000;

  private Attempts() {}

  static int before(Delivery message) {
    Map<String, Object> headers = message.getProperties().getHeaders();
    long count =
        headers != null && headers.get(HEADER) instanceof Number number ? number.longValue() : 0;
    return (int) Math.max(0, Math.min(MOST, count)); // anybody may have written it
  }

  static Delivery after(Delivery message, int attempts) {
    Map<String, Object> headers = new LinkedHashMap<>();
    BasicProperties properties = message.getProperties();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    headers.put(HEADER, attempts);
    return new Delivery(
        message.getEnvelope(), properties.builder().headers(headers).build(), message.getBody());
  }
}
