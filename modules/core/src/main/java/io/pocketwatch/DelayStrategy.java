// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * How a message is held until it is due. The strategies differ only in the hold; what comes before
 * (checks, confirms) and after (release, delivery) is one code path.
 */
public enum DelayStrategy {
  /** The message is not held: it is due already, so it goes straight to its exchange. */
  IMMEDIATE,

  /**
   * The message waits in the queue of its configured delay, which has a TTL. The hold is exact to
   * the millisecond and takes one hop.
   */
  TTL_QUEUE,

  /**
   * The message rides a hierarchical timing wheel made of queues. It holds any delay up to the
   * wheel's maximum, rounded up to its resolution. Each non-zero digit of the delay is one hop.
   */
  QUEUE_WHEEL,

  /**
   * The message waits in a queue of its own, for up to ten years, and can be cancelled without a
   * store. Each message costs two metadata commits, and a place among {@code temporary-queues.max}
   * until some minutes after it is due. This suits few messages at a time, not thousands per
   * second. It needs {@code topology: declare}.
   */
  TEMPORARY_QUEUE,

  /**
   * The {@code x-delayed-message} exchange of the delayed-message plugin holds the message, for up
   * to 2<sup>32</sup>-1 ms, on one node without a replica.
   */
  DELAYED_EXCHANGE,

  /**
   * RabbitMQ 4.4 and later holds the message itself, in one of four quorum queues, until the
   * instant in its header. It holds any delay up to ten years, exact to the millisecond, and takes
   * one hop. It is used where a route or {@code pocketwatch.native} asks for it and a probe has
   * passed on the connection; otherwise the wheel is. Priorities are ignored during the hold.
   */
  DELIVERY_TIME,

  /**
   * The message is kept in the database until a loader sends it. With {@code tracking: full} that
   * is when it is due, else once it is within the horizon. No message or route can ask for this.
   */
  STORE
}
