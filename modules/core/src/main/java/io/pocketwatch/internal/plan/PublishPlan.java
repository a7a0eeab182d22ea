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
 * Where and how to publish a message so that it is delivered at its instant, and its receipt.
 *
 * @param strategy how the message is held
 * @param reason why that strategy was picked
 * @param holdType the type of the queue that holds the message; null if none of our queues does
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

  /** The exchange to publish to. */
  public String exchange() {
    return path.exchange();
  }

  /** The routing key to publish with. */
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
   * Whether to publish as {@code mandatory}. Not to the plugin's exchange: it routes later, and so
   * returns every mandatory message as unroutable.
   */
  public boolean mandatory() {
    return strategy != DelayStrategy.DELAYED_EXCHANGE;
  }

  /**
   * This plan, with a TTL on the message itself. Its temporary queue has the delay that remained
   * earlier; the smaller TTL counts, and dead-lettering removes the message's.
   */
  public PublishPlan expiringAfter(Duration remaining) {
    long millis = Math.max(1, remaining.plusNanos(999_999).toMillis());
    return withProperties(properties.builder().expiration(Long.toString(millis)).build());
  }

  /** This plan, with the TTL of the message shortened by this. */
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
