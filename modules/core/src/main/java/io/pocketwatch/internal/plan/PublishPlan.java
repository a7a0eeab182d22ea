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
 * @param strategy how it is held
 * @param reason why so
 * @param holdType the type of the queue that holds the message; null if none of ours does
 * @param properties the properties to publish; a new object, never the caller's
 */
public record PublishPlan(
    Submission submission,
    DelayStrategy strategy,
    String reason,
    HoldPath path,
    @Nullable HoldQueueType holdType,
    BasicProperties properties) {
  public String id() {
    return submission.id();
  }

  public Instant deliverAt() {
    return submission.deliverAt();
  }

  /** Where to publish. */
  public String exchange() {
    return path.exchange();
  }

  /** With which key. */
  public String routingKey() {
    return path.routingKey();
  }

  public List<Destination> destinations() {
    return path.destinations();
  }

  public @Nullable TemporaryQueue temporaryQueue() {
    return path.temporaryQueue();
  }

  /**
   * Whether the broker can tell now that nothing will take the message. The plugin routes it later,
   * so it returns every mandatory one as unroutable.
   */
  public boolean mandatory() {
    return strategy != DelayStrategy.DELAYED_EXCHANGE;
  }

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
    return new PublishPlan(submission, strategy, reason, path, holdType, properties);
  }

  /** The receipt for this plan once the outcome is known. */
  public PublishReceipt receipt(PublishOutcome outcome, Cause cause, String detail) {
    return new PublishReceipt(
        id(),
        submission.route().name(),
        outcome,
        cause,
        detail,
        strategy,
        reason,
        deliverAt(),
        submission.spread(),
        false);
  }
}
