// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import java.util.List;

/**
 * The target of messages after their hold, an exchange or a queue, and the way to it.
 *
 * @param exchange the user's exchange; empty for the default exchange
 * @param queue the queue's name if the exchange is the default one, otherwise empty
 * @param way how a message gets there from its hold
 */
public record Destination(String exchange, String queue, Way way) {

  /** The ways from a hold to a destination. */
  public enum Way {
    /** Not held: published to the destination itself. */
    STRAIGHT,
    /** From the shared release exchange. */
    SHARED,
    /** From the shared release exchange through the destination's own out queue. */
    OUT_QUEUE,
    /** From a temporary queue, without passing the shared exchanges. */
    TEMPORARY
  }

  public static Destination of(String exchange, String routingKey, Way way) {
    return new Destination(exchange, exchange.isEmpty() ? routingKey : "", way);
  }

  /** The destination of messages released from shared holds, by the way their route asks for. */
  public static Destination released(DelayRoute route, String exchange, String routingKey) {
    return of(
        exchange,
        routingKey,
        route.isolation() == Isolation.DESTINATION ? Way.OUT_QUEUE : Way.SHARED);
  }

  /** Whether this is a queue addressed through the default exchange. */
  public boolean toQueue() {
    return exchange.isEmpty();
  }

  /** The keys that steer a released message here. */
  public List<String> steeringKeys() {
    return switch (way) {
      case STRAIGHT, TEMPORARY -> List.of();
      case SHARED -> List.of(BccKeys.to(this));
      case OUT_QUEUE -> List.of(BccKeys.out(this), BccKeys.via(this));
    };
  }

  /** For people: {@code exchange 'orders'} or {@code queue 'mail'}. */
  public String describe() {
    return toQueue() ? "queue '" + queue + "'" : "exchange '" + exchange + "'";
  }
}
