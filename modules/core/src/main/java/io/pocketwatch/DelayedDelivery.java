// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.internal.topology.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A delivery of a message that was published with a delay, as its consumer sees it.
 *
 * @param id the message's id, the same in every copy, so that duplicates can be recognised
 * @param deliverAt when the message was due
 * @param strategy how it was held, by its dead-letter headers; {@code IMMEDIATE} without them
 * @param exchange the exchange to which the message was addressed; the envelope of a held message
 *     names an exchange of Pocketwatch
 * @param routingKey the routing key with which the message was published
 * @param properties the properties as they arrived
 */
public record DelayedDelivery(
    String id,
    Instant deliverAt,
    DelayStrategy strategy,
    String exchange,
    String routingKey,
    BasicProperties properties) {

  /** Reads a delivery; empty if Pocketwatch did not delay it. */
  public static Optional<DelayedDelivery> of(Delivery delivery) {
    return of(delivery.getEnvelope(), delivery.getProperties());
  }

  /** Reads a delivery; empty if Pocketwatch did not delay it. */
  public static Optional<DelayedDelivery> of(Envelope envelope, BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    String id = Headers.id(properties);
    Instant deliverAt = Headers.deliverAt(headers);
    if (id == null || deliverAt == null) {
      return Optional.empty();
    }
    Object exchange = headers.get(Headers.EXCHANGE);
    Object routingKey = headers.get(Headers.ROUTING_KEY);
    return Optional.of(
        new DelayedDelivery(
            id,
            deliverAt,
            exchange == null ? DelayStrategy.IMMEDIATE : strategy(headers),
            exchange == null ? envelope.getExchange() : exchange.toString(),
            routingKey == null ? envelope.getRoutingKey() : routingKey.toString(),
            properties));
  }

  private static DelayStrategy strategy(Map<String, Object> headers) {
    DelayStrategy byQueue = Names.holding(String.valueOf(headers.get("x-first-death-queue")));
    return byQueue == DelayStrategy.IMMEDIATE
            && headers.get("x-delay") instanceof Number delay
            && delay.longValue() < 0 // the plugin's mark for "already delayed"
        ? DelayStrategy.DELAYED_EXCHANGE
        : byQueue;
  }

  /** A copy with these properties. */
  public DelayedDelivery withProperties(BasicProperties properties) {
    return new DelayedDelivery(id, deliverAt, strategy, exchange, routingKey, properties);
  }

  /** Arrival minus {@link #deliverAt}: negative if the message came early by that clock. */
  public Duration lateness(Instant arrival) {
    return Duration.between(deliverAt, arrival);
  }

  /**
   * The properties without the dead-letter headers of our hold queues, which would mislead code
   * that counts retries by {@code x-death}. Entries of other queues stay; where they named an
   * exchange of ours, they name the one the message was addressed to. The {@code
   * x-opt-delivery-time} of the hold is left out, too.
   *
   * @param namePrefix the configured name prefix, {@code pocketwatch} by default
   */
  public BasicProperties withoutDeadLetterHeaders(String namePrefix) {
    return DeadLetterHeaders.strip(properties, namePrefix + ".");
  }
}
