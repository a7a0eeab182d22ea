// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.DelayRoutes;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A received message that goes back to its own queue, and how it looks to its handler afterwards.
 * Sent to its exchange again it would reach other queues a second time, so it is sent to the queue,
 * and what that changes travels in headers.
 */
public final class HeldAgain {
  private static final String NAME = "held-again";

  /** An id that begins so was given for the way only. */
  private static final String OWN_ID = NAME + "-";

  private HeldAgain() {}

  /** Not of its own route: that one may be tracked, and its message has its row already. */
  public static Submission submission(
      String queue, Delivery received, Instant until, DelayRoutes routes) {
    Envelope envelope = received.getEnvelope();
    Map<String, @Nullable Object> headers = headers(received.getProperties());
    headers.putIfAbsent(Headers.EXCHANGE, envelope.getExchange());
    headers.putIfAbsent(Headers.ROUTING_KEY, envelope.getRoutingKey());
    headers.remove("x-delivery-count"); // the queue's, which counts anew
    if (headers.containsKey("CC")) {
      headers.put(Headers.CC, headers.remove("CC"));
    }
    // The message-id of somebody else may be the same for many; the broker's return of this one
    // must be known by its id.
    if (!headers.containsKey(Headers.DELIVER_AT) || Headers.id(received.getProperties()) == null) {
      headers.computeIfAbsent(Headers.ID, none -> OWN_ID + UUID.randomUUID());
    }
    BasicProperties properties = received.getProperties().builder().headers(headers).build();
    DelayedMessage message =
        DelayedMessage.toQueue(queue).properties(properties).body(received.getBody());
    DelayRoute own = configured(headers, routes);
    DelayRoute route =
        DelayRoute.builder(NAME)
            .routingKey(queue)
            .userExpiration(UserExpiration.DROP)
            .isolation(own.isolation())
            .build();
    if (own.strategy() == DelayStrategy.DELIVERY_TIME) { // which holds any delay; others are asked
      route = route.toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build();
    }
    return new Submission(
        message,
        String.valueOf(Headers.id(properties)),
        route,
        null,
        wholeMillis(until),
        Duration.ZERO,
        0,
        true,
        false);
  }

  /** Whether the message is a copy that was held again. */
  public static boolean is(BasicProperties properties) {
    return properties.getHeaders() != null
        && properties.getHeaders().get(Headers.ROUTING_KEY) != null;
  }

  /** The message as it was before it was held again; any other as it is. */
  public static Delivery restore(Delivery arrived) {
    if (!is(arrived.getProperties())) {
      return arrived;
    }
    Map<String, @Nullable Object> headers = headers(arrived.getProperties());
    String routingKey = String.valueOf(headers.remove(Headers.ROUTING_KEY));
    headers.remove(DeliveryTime.HEADER); // until when it was held again
    if (String.valueOf(headers.get(Headers.ID)).startsWith(OWN_ID)) {
      headers.remove(Headers.ID);
    }
    if (headers.containsKey(Headers.CC)) {
      headers.put("CC", headers.remove(Headers.CC));
    }
    Envelope envelope = arrived.getEnvelope();
    return new Delivery(
        new Envelope(
            envelope.getDeliveryTag(),
            envelope.isRedeliver(),
            String.valueOf(headers.getOrDefault(Headers.EXCHANGE, envelope.getExchange())),
            routingKey),
        arrived.getProperties().builder().headers(headers).build(),
        arrived.getBody());
  }

  private static DelayRoute configured(Map<String, @Nullable Object> headers, DelayRoutes routes) {
    DelayRoute named = routes.named(String.valueOf(headers.get(Headers.ROUTE)));
    return named != null
        ? named
        : routes.match(
            String.valueOf(headers.get(Headers.EXCHANGE)),
            String.valueOf(headers.get(Headers.ROUTING_KEY)));
  }

  private static Map<String, @Nullable Object> headers(BasicProperties properties) {
    return properties.getHeaders() == null
        ? new LinkedHashMap<>()
        : new LinkedHashMap<>(properties.getHeaders());
  }

  private static Instant wholeMillis(Instant until) {
    Instant whole = until.truncatedTo(ChronoUnit.MILLIS);
    return whole.equals(until) ? whole : whole.plusMillis(1);
  }
}
