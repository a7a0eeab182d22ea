// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One publish call, with all that must not change if it is tried again: id, route, instant.
 *
 * @param delay the delay asked for; null if an instant was asked for
 * @param deliverAt the instant it is due: rounded up to whole milliseconds, plus the spread
 * @param spread the time that its route's spread has added
 * @param generation the version of a stored message, from 1; 0 if it has no row to match
 * @param heldAgain whether it was received and is held to go back to its queue: it then keeps our
 *     headers
 * @param stored whether it comes from its row, which decides whether the broker should hold it: a
 *     copy in its temporary queue then makes way
 * @param ownChannel whether it may close its channel, and so must not share it with other messages
 */
public record Submission(
    DelayedMessage message,
    String id,
    DelayRoute route,
    @Nullable Duration delay,
    Instant deliverAt,
    Duration spread,
    int generation,
    boolean heldAgain,
    boolean stored,
    boolean ownChannel) {
  /** All messages pass here, so that none keeps {@link DeliveryTime#HEADER}. */
  public Submission {
    BasicProperties properties = message.properties();
    BasicProperties without = DeliveryTime.without(properties);
    if (without != properties) {
      message = message.properties(without);
    }
  }

  /** A submission that shares a channel. */
  public Submission(
      DelayedMessage message,
      String id,
      DelayRoute route,
      @Nullable Duration delay,
      Instant deliverAt,
      Duration spread,
      int generation,
      boolean heldAgain,
      boolean stored) {
    this(message, id, route, delay, deliverAt, spread, generation, heldAgain, stored, false);
  }

  Submission(
      DelayedMessage message,
      String id,
      DelayRoute route,
      @Nullable Duration delay,
      Instant deliverAt,
      Duration spread,
      int generation) {
    this(message, id, route, delay, deliverAt, spread, generation, false, false);
  }

  /** Whether its route has a TTL queue for its delay. */
  public boolean hasConfiguredDelay() {
    return delay != null && route.delays().contains(delay);
  }

  /** Whether it has an instant, so that a consumer may ask how late it is. */
  boolean timed() {
    return generation > 0 || delay == null || delay.compareTo(Duration.ZERO) > 0;
  }

  /** A copy with these properties, which a framework completes only on sending. */
  public Submission withProperties(BasicProperties properties) {
    return with(message.properties(properties), ownChannel);
  }

  /** A copy for the channel of messages that may close it. */
  public Submission onChannelOfItsOwn() {
    return with(message, true);
  }

  private Submission with(DelayedMessage message, boolean ownChannel) {
    return new Submission(
        message, id, route, delay, deliverAt, spread, generation, heldAgain, stored, ownChannel);
  }
}
