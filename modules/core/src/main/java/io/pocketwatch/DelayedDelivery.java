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
 * What a consumer can know of a message that was sent with a delay.
 *
 * @param id the message's id; the same for every copy of it, so usable to recognise duplicates
 * @param deliverAt when it was to be delivered
 * @param strategy how it was held, as its dead-letter headers tell; {@code IMMEDIATE} without them
 * @param exchange the exchange it was addressed to; the envelope of a message that was held shows
 *     one of ours
 * @param routingKey the routing key it was sent with
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

  /** The same, with these properties. */
  public DelayedDelivery withProperties(BasicProperties properties) {
    return new DelayedDelivery(id, deliverAt, strategy, exchange, routingKey, properties);
  }

  /** Arrival minus {@link #deliverAt}: negative if it came early by this machine's clock. */
  public Duration lateness(Instant arrival) {
    return Duration.between(deliverAt, arrival);
  }

  /**
   * The properties without the dead-letter headers of our hold queues, which would mislead code
   * that counts its own retries by {@code x-death}. Entries of other queues stay, and name the
   * exchange the message was addressed to where they named one of ours. The {@code
   * x-opt-delivery-time} by which a message was held is left out too.
   *
   * @param namePrefix the configured name prefix, {@code pocketwatch} by default
   */
  public BasicProperties withoutDeadLetterHeaders(String namePrefix) {
    return DeadLetterHeaders.strip(properties, namePrefix + ".");
  }
}
