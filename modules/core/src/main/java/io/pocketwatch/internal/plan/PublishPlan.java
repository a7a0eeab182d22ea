// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.TemporaryQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to publish where so that a message is delivered at its instant, and what its receipt says.
 *
 * @param id the message's id
 * @param route the matched route's name
 * @param strategy how it is held
 * @param reason why so
 * @param deliverAt when it is due, in whole milliseconds
 * @param spread the part of that which its route has added
 * @param destinations must exist, and be bound, before publishing; more than one only where CC or
 *     BCC keys name queues at the default exchange
 * @param temporaryQueue must be declared before publishing, or null
 * @param exchange where to publish
 * @param routingKey with which key
 * @param holdType the type of the queue that holds the message; null if none of ours does
 * @param mandatory whether the broker can tell now that nothing will take the message
 * @param properties the properties to publish; a new object, never the caller's
 */
public record PublishPlan(
    String id,
    String route,
    DelayStrategy strategy,
    String reason,
    Instant deliverAt,
    Duration spread,
    List<Destination> destinations,
    @Nullable TemporaryQueue temporaryQueue,
    String exchange,
    String routingKey,
    @Nullable HoldQueueType holdType,
    boolean mandatory,
    BasicProperties properties) {

  /**
   * This plan, with a TTL on the message itself. Its temporary queue was declared with what
   * remained before; the smaller of the two counts, and dead-lettering removes the message's own.
   */
  public PublishPlan expiringAfter(Duration remaining) {
    long millis = Math.max(1, remaining.plusNanos(999_999).toMillis());
    return withProperties(properties.builder().expiration(Long.toString(millis)).build());
  }

  /** This plan, with so much less of a TTL on the message itself. */
  public PublishPlan expiringSooner(long millis) {
    long planned = Long.parseLong(properties.getExpiration());
    return expiringAfter(Duration.ofMillis(planned - millis));
  }

  /** This plan, with these properties to publish. */
  public PublishPlan withProperties(BasicProperties properties) {
    return new PublishPlan(
        id,
        route,
        strategy,
        reason,
        deliverAt,
        spread,
        destinations,
        temporaryQueue,
        exchange,
        routingKey,
        holdType,
        mandatory,
        properties);
  }

  /** The receipt for this plan once the outcome is known. */
  public PublishReceipt receipt(PublishOutcome outcome, Cause cause, String detail) {
    return new PublishReceipt(
        id, route, outcome, cause, detail, strategy, reason, deliverAt, spread, false);
  }
}
