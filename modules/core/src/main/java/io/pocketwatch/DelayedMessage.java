// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A message and the time at which to deliver it. Immutable: every setter returns a copy.
 *
 * <pre>{@code
 * DelayedMessage.to("orders", "order.timeout").body(json).delay(Duration.ofMinutes(30))
 * }</pre>
 *
 * Unless {@link #properties} says otherwise the message is persistent. Without {@link #delay} and
 * {@link #deliverAt} the default delay of its route applies, and without one it is sent at once.
 */
public final class DelayedMessage implements Cloneable {
  private static final String NO_BODY = "body is null; for an empty body leave it out";

  private final String exchange;
  private final String routingKey;
  private byte[] body = {};
  private BasicProperties properties = MessageProperties.MINIMAL_PERSISTENT_BASIC;
  private @Nullable Duration delay;
  private @Nullable Instant deliverAt;
  private @Nullable String id;
  private @Nullable String route;
  private @Nullable String businessKey;
  private @Nullable DelayStrategy strategy;

  private DelayedMessage(String exchange, String routingKey) {
    this.exchange = Objects.requireNonNull(exchange, "exchange");
    this.routingKey = Objects.requireNonNull(routingKey, "routingKey");
  }

  /** A message for an exchange; the empty name is the default exchange, as in AMQP. */
  public static DelayedMessage to(String exchange, String routingKey) {
    return new DelayedMessage(exchange, routingKey);
  }

  /** A message for one queue, through the default exchange. */
  public static DelayedMessage toQueue(String queue) {
    return new DelayedMessage("", queue);
  }

  /** The payload; the array is copied. */
  public DelayedMessage body(byte[] body) {
    Objects.requireNonNull(body, NO_BODY);
    return with(copy -> copy.body = body.clone());
  }

  /** The payload as UTF-8 text. */
  public DelayedMessage body(String text) {
    Objects.requireNonNull(text, NO_BODY);
    return with(copy -> copy.body = text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Replaces all AMQP properties, headers and delivery mode included. Without a delivery mode, or
   * with 1, the message is transient, as in AMQP: classic hold queues lose it when the broker
   * restarts.
   */
  public DelayedMessage properties(BasicProperties properties) {
    return with(copy -> copy.properties = Objects.requireNonNull(properties, "properties"));
  }

  /** Adds one header to those already set. */
  public DelayedMessage header(String name, @Nullable Object value) {
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    headers.put(name, value);
    return properties(properties.builder().headers(headers).build());
  }

  /**
   * Delivers the message this long after the publish call. A zero or negative delay sends it at
   * once. A delay that ends after the year 9999 is refused on publishing. Replaces an earlier
   * {@link #deliverAt}.
   */
  public DelayedMessage delay(Duration delay) {
    return with(
        copy -> {
          copy.delay = Objects.requireNonNull(delay, "delay");
          copy.deliverAt = null;
        });
  }

  /**
   * Delivers the message at this instant, by the clock of the store, or of this machine without
   * one. A past instant sends it at once. One after 9999-12-31T23:59:59.999Z is refused on
   * publishing. Replaces an earlier {@link #delay}.
   */
  public DelayedMessage deliverAt(Instant deliverAt) {
    return with(
        copy -> {
          copy.deliverAt = Objects.requireNonNull(deliverAt, "deliverAt");
          copy.delay = null;
        });
  }

  /**
   * The message's id, 1 to 200 bytes of UTF-8. Without it each publish call makes a new one.
   * Without a store, the messages of two calls with the same id may both be delivered.
   */
  public DelayedMessage id(String id) {
    return with(copy -> copy.id = Objects.requireNonNull(id, "id"));
  }

  /**
   * A key of the caller's by which to find or cancel stored messages, such as an order number. 1 to
   * 200 bytes of UTF-8; need not be unique. Not sent, and without effect where nothing is stored.
   */
  public DelayedMessage businessKey(String businessKey) {
    return with(copy -> copy.businessKey = Objects.requireNonNull(businessKey, "businessKey"));
  }

  /** Applies the policy of the named route, whatever the exchange and routing key. */
  public DelayedMessage route(String route) {
    return with(copy -> copy.route = Objects.requireNonNull(route, "route"));
  }

  /** Asks for a strategy in place of the route's. Refused if it cannot hold this delay. */
  public DelayedMessage strategy(DelayStrategy strategy) {
    return with(copy -> copy.strategy = Objects.requireNonNull(strategy, "strategy"));
  }

  public String exchange() {
    return exchange;
  }

  public String routingKey() {
    return routingKey;
  }

  /** The payload itself, not a copy: do not write to it. */
  public byte[] body() {
    return body;
  }

  public BasicProperties properties() {
    return properties;
  }

  public @Nullable Duration delay() {
    return delay;
  }

  public @Nullable Instant deliverAt() {
    return deliverAt;
  }

  public @Nullable String id() {
    return id;
  }

  public @Nullable String businessKey() {
    return businessKey;
  }

  public @Nullable String route() {
    return route;
  }

  public @Nullable DelayStrategy strategy() {
    return strategy;
  }

  /** Compares everything that can be set, so that tests can compare messages. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DelayedMessage message
        && values().equals(message.values())
        && Arrays.equals(body, message.body);
  }

  @Override
  public int hashCode() {
    return values().hashCode() + Arrays.hashCode(body);
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        exchange, routingKey, delay, deliverAt, id, route, businessKey, strategy, properties);
  }

  /** Names the target, not the payload: messages end up in logs. */
  @Override
  public String toString() {
    return "DelayedMessage[exchange=%s, routingKey=%s, delay=%s, deliverAt=%s, id=%s, %s bytes]"
        .formatted(exchange, routingKey, delay, deliverAt, id, body.length);
  }

  private DelayedMessage with(Consumer<DelayedMessage> change) {
    try {
      DelayedMessage copy = (DelayedMessage) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
