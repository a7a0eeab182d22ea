// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import io.pocketwatch.testkit.Arrival;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the properties of two messages comparable. */
final class Properties {
  private Properties() {}

  /** All basic properties but the headers, by name. */
  static Map<String, @Nullable Object> withoutHeaders(BasicProperties properties) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("content-type", properties.getContentType());
    all.put("content-encoding", properties.getContentEncoding());
    all.put("delivery-mode", properties.getDeliveryMode());
    all.put("priority", properties.getPriority());
    all.put("correlation-id", properties.getCorrelationId());
    all.put("reply-to", properties.getReplyTo());
    all.put("expiration", properties.getExpiration());
    all.put("message-id", properties.getMessageId());
    all.put("timestamp", properties.getTimestamp());
    all.put("type", properties.getType());
    all.put("user-id", properties.getUserId());
    all.put("app-id", properties.getAppId());
    all.put("cluster-id", properties.getClusterId());
    return all;
  }

  /**
   * The headers without those of Pocketwatch and of the hold. The latter are the dead-letter
   * headers, the mark of the delayed-message plugin, and the instant by which RabbitMQ 4.4 held it.
   */
  static Map<String, @Nullable Object> userHeaders(Arrival arrival) {
    Map<String, @Nullable Object> headers = new TreeMap<>();
    arrival
        .headers()
        .forEach(
            (name, value) -> {
              if (!leftByHold(name)) {
                headers.put(name, comparable(value));
              }
            });
    return headers;
  }

  private static boolean leftByHold(String header) {
    return header.startsWith(Headers.PREFIX)
        || header.equals("x-death")
        || header.startsWith("x-first-death-")
        || header.startsWith("x-last-death-")
        || header.equals("x-delay")
        || header.equals("x-opt-delivery-time");
  }

  /** Arrays as buffers, which have an {@code equals}; everything else keeps its type. */
  private static @Nullable Object comparable(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Properties::comparable).collect(Collectors.toList());
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((key, nested) -> copy.put(key, comparable(nested)));
      return copy;
    }
    return value;
  }
}
