// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import io.pocketwatch.InvalidMessageException;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RabbitMQ's own header for the instant of delivery, which quorum queues heed from 4.4 on. Here it
 * is another way to ask for that instant, on every broker, and a user's header is never sent. A
 * hold queue would heed it, too, and an instant far ahead ends that queue, with all its messages.
 * Messages held by {@link io.pocketwatch.DelayStrategy#DELIVERY_TIME} carry a header of ours.
 */
public final class DeliveryTime {
  /** The header's name; its value is a whole number of milliseconds since 1970, or a date. */
  public static final String HEADER = "x-opt-delivery-time";

  private DeliveryTime() {}

  /**
   * The instant asked for. Null if there is no such header, or if it is left from an earlier hold:
   * such a message was received, and is sent on.
   *
   * @param ended the latest instant that such a hold may have ended at
   */
  static @Nullable Instant read(String id, BasicProperties properties, Instant ended) {
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null || !headers.containsKey(HEADER)) {
      return null;
    }
    Object value = headers.get(HEADER);
    Instant held = headers.containsKey(Headers.DELIVER_AT) ? null : Headers.deliverAt(headers);
    if (held != null && !held.isAfter(ended)) {
      return null;
    }
    if (value instanceof Long || value instanceof Integer) {
      return Instant.ofEpochMilli(((Number) value).longValue());
    }
    if (value instanceof Date date) {
      return Instant.ofEpochMilli(date.getTime());
    }
    throw new InvalidMessageException(
        id,
        "its header %s is %s; RabbitMQ reads a 64-bit integer of milliseconds since 1970, or a date"
            .formatted(HEADER, value == null ? "null" : "a " + value.getClass().getSimpleName()));
  }

  /** Copies the instant of a received message to our header, unless that has it already. */
  public static void inOurs(Map<String, @Nullable Object> headers) {
    Instant deliverAt = Headers.deliverAt(headers);
    if (deliverAt != null) {
      headers.put(Headers.DELIVER_AT, deliverAt.toEpochMilli());
    }
  }

  /** The properties without the header; the instant of a delay of ours is kept in our header. */
  public static BasicProperties without(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null || !headers.containsKey(HEADER)) {
      return properties;
    }
    Map<String, @Nullable Object> rest = new LinkedHashMap<>(headers);
    inOurs(rest);
    rest.remove(HEADER);
    return properties.builder().headers(rest).build();
  }
}
