// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One publish call with everything that must not change if it is tried again: id, route, instant.
 *
 * @param delay the delay asked for, or null if an instant was
 * @param deliverAt the instant, in whole milliseconds, rounded up, and later by the spread
 * @param spread the part of that which its route has added
 * @param generation which version of a stored message this is, from 1; 0 if it has no row to match
 * @param heldAgain whether it was received and goes back to its queue: the headers of ours that it
 *     came with then stay
 * @param stored whether it comes from its row, which knows best whether the broker should hold it:
 *     a copy that is there already then makes way
 * @param ownChannel whether it may close its channel, so that no other message is to be on it
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
  /** Where every message passes: none keeps {@link DeliveryTime#HEADER}. */
  public Submission {
    BasicProperties properties = message.properties();
    BasicProperties without = DeliveryTime.without(properties);
    if (without != properties) {
      message = message.properties(without);
    }
  }

  /** One that shares a channel. */
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

  /** Whether its route has a TTL queue for it. */
  public boolean hasConfiguredDelay() {
    return delay != null && route.delays().contains(delay);
  }

  /** Whether it was asked for with a time, so that a consumer may ask how late it is. */
  boolean timed() {
    return generation > 0 || delay == null || delay.compareTo(Duration.ZERO) > 0;
  }

  /** The same publish call with these properties, which a framework completes only on sending. */
  public Submission withProperties(BasicProperties properties) {
    return with(message.properties(properties), ownChannel);
  }

  /** The same publish call, on a channel that all such ones share, and no other message. */
  public Submission onChannelOfItsOwn() {
    return with(message, true);
  }

  private Submission with(DelayedMessage message, boolean ownChannel) {
    return new Submission(
        message, id, route, delay, deliverAt, spread, generation, heldAgain, stored, ownChannel);
  }
}
