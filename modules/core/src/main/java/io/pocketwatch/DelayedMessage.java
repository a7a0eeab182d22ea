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
 * A message and when it is to be delivered. Immutable: every method returns a copy.
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
   * Replaces all AMQP properties, headers and delivery mode included. They arrive as set. Without a
   * delivery mode, or with 1, the message is transient, as in AMQP: classic hold queues lose it
   * when the broker restarts.
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
   * Deliver this long after the publish call. Zero and negative delays are sent at once; one that
   * ends after the year 9999 is refused when it is published. It replaces an earlier {@link
   * #deliverAt}.
   */
  public DelayedMessage delay(Duration delay) {
    return with(
        copy -> {
          copy.delay = Objects.requireNonNull(delay, "delay");
          copy.deliverAt = null;
        });
  }

  /**
   * Deliver at this instant, by the clock of the store, or of this machine without one. A past
   * instant is sent at once; one after 9999-12-31T23:59:59.999Z is refused when it is published. It
   * replaces an earlier {@link #delay}.
   */
  public DelayedMessage deliverAt(Instant deliverAt) {
    return with(
        copy -> {
          copy.deliverAt = Objects.requireNonNull(deliverAt, "deliverAt");
          copy.delay = null;
        });
  }

  /**
   * The message's id, 1 to 200 bytes of UTF-8. Without it each publish call makes a new one. Two
   * calls with the same id may both be delivered: on a broker alone nothing can tell them apart.
   */
  public DelayedMessage id(String id) {
    return with(copy -> copy.id = Objects.requireNonNull(id, "id"));
  }

  /**
   * The caller's own name for it, 1 to 200 bytes of UTF-8, to find or cancel a stored message by;
   * need not be unique. Not sent, and of no effect where nothing is stored.
   */
  public DelayedMessage businessKey(String businessKey) {
    return with(copy -> copy.businessKey = Objects.requireNonNull(businessKey, "businessKey"));
  }

  /** Uses the named route's policy, whatever exchange and routing key say. */
  public DelayedMessage route(String route) {
    return with(copy -> copy.route = Objects.requireNonNull(route, "route"));
  }

  /** Asks for a strategy, over the route's choice. Refused if it cannot hold this delay. */
  public DelayedMessage strategy(DelayStrategy strategy) {
    return with(copy -> copy.strategy = Objects.requireNonNull(strategy, "strategy"));
  }

  public String exchange() {
    return exchange;
  }

  public String routingKey() {
    return routingKey;
  }

  /** The payload itself, not a copy: read it, do not write to it. */
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

  /** Whether the other is the same in everything that can be set, so that a test can verify it. */
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
