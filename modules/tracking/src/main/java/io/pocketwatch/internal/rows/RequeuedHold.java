// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Puts a received message on hold for its own queue, and restores it for its handler afterwards.
 * Sent to its exchange again it would reach other queues a second time. So it is sent to the queue,
 * and headers keep what that changes.
 */
public final class RequeuedHold {
  private static final String NAME = "held-again";

  /** The prefix of an id that was given for the hold only. */
  private static final String OWN_ID = NAME + "-";

  private static final int MOST_ATTEMPTS = 1_000_000;
  private static final int MOST_EARLY = 20;

  private RequeuedHold() {}

  /** Not under its own route, which may be tracked: the message has its row already. */
  public static Submission submission(
      String queue, Delivery received, Instant until, Instant now, DelayRoutes routes) {
    Map<String, @Nullable Object> headers = addressed(received);
    headers.remove("x-delivery-count"); // the queue sets it anew
    if (headers.containsKey("CC")) {
      headers.put(Headers.CC, headers.remove("CC"));
    }
    // A foreign message-id may be the same for many messages, but a return must identify this one.
    if (!headers.containsKey(Headers.DELIVER_AT) || Headers.id(received.getProperties()) == null) {
      headers.computeIfAbsent(Headers.ID, none -> OWN_ID + UUID.randomUUID());
    }
    BasicProperties properties = received.getProperties().builder().headers(headers).build();
    DelayedMessage message =
        DelayedMessage.toQueue(queue).properties(properties).body(received.getBody());
    DelayRoute own = route(received, routes);
    Instant latest = now.plus(routes.hold().wheel().maxDelay());
    DelayRoute route =
        DelayRoute.builder(NAME)
            .routingKey(queue)
            .userExpiration(UserExpiration.DROP)
            .isolation(own.isolation())
            .build();
    if (own.strategy() == DelayStrategy.DELIVERY_TIME) { // which holds any delay, unlike others
      route = route.toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build();
    }
    return new Submission(
        message,
        String.valueOf(Headers.id(properties)),
        route,
        null,
        DelayPlanner.wholeMillis(until.isAfter(latest) ? latest : until),
        Duration.ZERO,
        0,
        true,
        false);
  }

  /**
   * A stored message that its consumer has deferred, sent to the consumer's queue alone. Restored
   * it looks like any other copy.
   */
  static Submission toQueue(String queue, StoredMessage stored, BasicProperties properties) {
    ScheduledMessage row = stored.message();
    Map<String, @Nullable Object> headers = headers(properties);
    String id = row.key().id();
    boolean ofSchedule = id.startsWith(headers.get(Headers.SCHEDULE) + "@");
    headers
        .keySet()
        .removeIf(
            name ->
                name.equals("BCC")
                    || name.startsWith(Headers.PREFIX) // from an earlier hold
                        && !(ofSchedule
                            && (name.equals(Headers.SCHEDULE) || name.equals(Headers.OCCURRENCE))));
    if (headers.containsKey("CC")) {
      headers.put(Headers.CC, headers.remove("CC"));
    }
    headers.put(Headers.EXCHANGE, row.exchange());
    headers.put(Headers.ROUTING_KEY, row.routingKey());
    headers.put(Headers.DELIVER_AT, row.deliverAt().toEpochMilli());
    headers.put(Headers.ROUTE, row.key().route());
    headers.put(Headers.GENERATION, stored.generation());
    String messageId = properties.getMessageId() == null ? id : properties.getMessageId();
    if (!messageId.equals(id)) {
      headers.put(Headers.ID, id);
    }
    BasicProperties complete = properties.builder().headers(headers).messageId(messageId).build();
    return new Submission(
        DelayedMessage.toQueue(queue).properties(complete).body(row.body()),
        id,
        DelayRoute.builder(NAME).routingKey(queue).build(),
        null,
        stored.nextAt(),
        Duration.ZERO,
        0,
        true,
        true);
  }

  /** Whether the message is a copy that was held again. */
  public static boolean is(BasicProperties properties) {
    return properties.getHeaders() != null
        && properties.getHeaders().get(Headers.ROUTING_KEY) != null;
  }

  /** The message as it was before it was held again; unchanged if it was not. */
  public static Delivery restore(Delivery arrived) {
    if (!is(arrived.getProperties())) {
      return arrived;
    }
    Map<String, @Nullable Object> headers = headers(arrived.getProperties());
    String routingKey = String.valueOf(headers.remove(Headers.ROUTING_KEY));
    headers.remove(DeliveryTime.HEADER); // the end of that hold
    headers.remove(Headers.EARLY);
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

  /** Its headers, with its target from its envelope or from the headers themselves. */
  private static Map<String, @Nullable Object> addressed(Delivery received) {
    Map<String, @Nullable Object> headers = headers(received.getProperties());
    DeliveryTime.inOurs(headers); // RabbitMQ's header will have the end of the hold
    headers.putIfAbsent(Headers.EXCHANGE, received.getEnvelope().getExchange());
    headers.putIfAbsent(Headers.ROUTING_KEY, received.getEnvelope().getRoutingKey());
    return headers;
  }

  /** The route of a received message if it is configured here, else the defaults. */
  public static DelayRoute route(Delivery received, DelayRoutes routes) {
    BasicProperties properties = received.getProperties();
    DelayRoute named = routes.named(String.valueOf(header(properties, Headers.ROUTE)));
    if (named != null) {
      return named;
    }
    Object exchange = header(properties, Headers.EXCHANGE);
    Object routingKey = header(properties, Headers.ROUTING_KEY);
    Envelope envelope = received.getEnvelope();
    return routes.match(
        exchange == null ? envelope.getExchange() : exchange.toString(),
        routingKey == null ? envelope.getRoutingKey() : routingKey.toString());
  }

  /**
   * A received message as it is to come again, as the next attempt.
   *
   * @param retry whether that uses up one of its route's retries
   */
  public static Delivery deferred(Delivery received, Instant until, boolean retry) {
    BasicProperties properties = received.getProperties();
    Map<String, @Nullable Object> headers = headers(properties);
    DeliveryTime.inOurs(headers);
    headers.put(Headers.ATTEMPTS, attempts(properties) + 1);
    headers.remove(Headers.EARLY);
    if (retry) {
      headers.put(Headers.RETRIES, retries(properties) + 1);
    }
    long millis = DelayPlanner.wholeMillis(until).toEpochMilli();
    headers.put(Headers.DEFERRED_UNTIL, millis);
    if (headers.putIfAbsent(Headers.DELIVER_AT, millis) == null) { // it is a delayed one now
      String id = properties.getMessageId() == null ? "deferred-" : OWN_ID;
      headers.putIfAbsent(Headers.ID, id + UUID.randomUUID());
    }
    return new Delivery(
        received.getEnvelope(), properties.builder().headers(headers).build(), received.getBody());
  }

  /** How often the message has been deferred. */
  public static int attempts(BasicProperties properties) {
    return count(properties, Headers.ATTEMPTS);
  }

  /** How many of its route's retries are used up. */
  public static int retries(BasicProperties properties) {
    return count(properties, Headers.RETRIES);
  }

  /** A received message that is held again because it came early. */
  public static Delivery heldEarly(Delivery received) {
    BasicProperties properties = received.getProperties();
    Map<String, @Nullable Object> headers = headers(properties);
    headers.put(Headers.EARLY, early(properties) + 1);
    return new Delivery(
        received.getEnvelope(), properties.builder().headers(headers).build(), received.getBody());
  }

  /** How often it came early, up to 20. */
  public static int early(BasicProperties properties) {
    return Math.min(MOST_EARLY, count(properties, Headers.EARLY));
  }

  private static int count(BasicProperties properties, String header) {
    long count = header(properties, header) instanceof Number number ? number.longValue() : 0;
    return (int) Math.max(0, Math.min(MOST_ATTEMPTS, count)); // the header may be forged
  }

  /** The instant before which it is not to be handled; null if there is none. */
  public static @Nullable Instant notBefore(BasicProperties properties) {
    return header(properties, Headers.DEFERRED_UNTIL) instanceof Number millis
        ? Instant.ofEpochMilli(millis.longValue())
        : Headers.deliverAt(properties.getHeaders());
  }

  /** Runs for each delivery, so it copies nothing. */
  private static @Nullable Object header(BasicProperties properties, String name) {
    return properties.getHeaders() == null ? null : properties.getHeaders().get(name);
  }

  private static Map<String, @Nullable Object> headers(BasicProperties properties) {
    return properties.getHeaders() == null
        ? new LinkedHashMap<>()
        : new LinkedHashMap<>(properties.getHeaders());
  }
}
