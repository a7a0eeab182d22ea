// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer can know of a message that was sent with a delay.
 *
 * @param id the message's id; the same for every copy of it, so usable to recognise duplicates
 * @param deliverAt when it was to be delivered
 * @param strategy how it was held
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

  /** Reads a delivery; empty if Pocketwatch did not send it. */
  public static Optional<DelayedDelivery> of(Delivery delivery) {
    return of(delivery.getEnvelope(), delivery.getProperties());
  }

  /** Reads a delivery; empty if Pocketwatch did not send it. */
  public static Optional<DelayedDelivery> of(Envelope envelope, BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null
        || headers.get(Headers.ID) == null
        || !(headers.get(Headers.DELIVER_AT) instanceof Number deliverAt)
        || headers.get(Headers.EXCHANGE) == null) {
      return Optional.empty();
    }
    return strategy(headers.get(Headers.STRATEGY))
        .map(
            strategy ->
                new DelayedDelivery(
                    headers.get(Headers.ID).toString(),
                    Instant.ofEpochMilli(deliverAt.longValue()),
                    strategy,
                    headers.get(Headers.EXCHANGE).toString(),
                    Objects.requireNonNullElse(
                            headers.get(Headers.ROUTING_KEY), envelope.getRoutingKey())
                        .toString(),
                    properties));
  }

  /** Empty also for one that a later version may have. */
  private static Optional<DelayStrategy> strategy(@Nullable Object name) {
    return Stream.of(DelayStrategy.values())
        .filter(strategy -> strategy.name().equals(String.valueOf(name)))
        .findFirst();
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
