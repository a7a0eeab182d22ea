// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * One delivery and when it came.
 *
 * @param queue the queue it came from
 * @param at when the consumer was called, by this machine's clock
 * @param delivery what it was called with
 */
public record Arrival(String queue, Instant at, Delivery delivery) {
  public BasicProperties properties() {
    return delivery.getProperties();
  }

  /** The headers, empty if the message has none. */
  public Map<String, Object> headers() {
    Map<String, Object> headers = properties().getHeaders();
    return headers == null ? Map.of() : headers;
  }

  public byte[] body() {
    return delivery.getBody();
  }

  /** The body as UTF-8 text. */
  public String text() {
    return new String(body(), StandardCharsets.UTF_8);
  }

  /** The message's id, empty if it did not come from Pocketwatch. */
  public String id() {
    String id = Headers.id(properties());
    return id == null ? "" : id;
  }

  /**
   * What Pocketwatch says about it.
   *
   * @throws IllegalStateException if it did not come from Pocketwatch
   */
  public DelayedDelivery delayed() {
    return DelayedDelivery.of(delivery)
        .orElseThrow(() -> new IllegalStateException(this + " was not sent by Pocketwatch"));
  }

  /** Arrival minus due time. */
  public Duration lateness() {
    return delayed().lateness(at);
  }

  /** Without the body, which can be large. */
  @Override
  public String toString() {
    return "Arrival[queue=%s, at=%s, routingKey=%s, body=%s bytes, headers=%s]"
        .formatted(queue, at, delivery.getEnvelope().getRoutingKey(), body().length, headers());
  }
}
