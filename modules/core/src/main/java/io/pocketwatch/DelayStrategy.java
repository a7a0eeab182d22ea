// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * How a message is held until it is due. The strategies differ only in the hold; what comes before
 * (checks, confirms) and after (release, delivery) is one code path.
 */
public enum DelayStrategy {
  /** Not held: the delay is zero or over, the message goes straight to its exchange. */
  IMMEDIATE,

  /** One queue per configured delay with a queue TTL. Exact to the millisecond, one hop. */
  TTL_QUEUE,

  /**
   * A hierarchical timing wheel made of queues. Any delay up to the wheel's maximum, rounded up to
   * its resolution; one hop per non-zero digit of the delay.
   */
  QUEUE_WHEEL,

  /**
   * The message waits in a queue of its own, for up to ten years, and can be cancelled without a
   * store. It costs two metadata commits, and a place among {@code temporary-queues.max} until some
   * minutes after it was due. This suits few messages at a time, not thousands per second. It needs
   * {@code topology: declare}.
   */
  TEMPORARY_QUEUE,

  /**
   * The {@code x-delayed-message} exchange of the delayed-message plugin, where the broker has it.
   * Up to 2<sup>32</sup>-1 ms; held on one node without a replica.
   */
  DELAYED_EXCHANGE,

  /**
   * RabbitMQ 4.4 and later holds the message itself, in one of four quorum queues, until the
   * instant in its header. Any delay up to ten years, exact to the millisecond, one hop. Used where
   * a route or {@code pocketwatch.native} asks for it and a probe has passed on the connection;
   * elsewhere the wheel serves. Priorities are ignored while it is held.
   */
  DELIVERY_TIME,

  /**
   * Kept in the database until a loader hands it to the broker: because it is due beyond the
   * horizon, or because its route is tracked. Not to be asked for.
   */
  STORE
}
