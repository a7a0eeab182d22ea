// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Duration;
import java.time.Instant;

/**
 * The result of one publish call.
 *
 * @param id the message's id, new for each call unless the caller gave one. It is sent as {@code
 *     message-id}, or as {@link Headers#ID} where the message has a {@code message-id} of its own
 * @param route the route that the message matched, or {@code defaults}
 * @param outcome the broker's verdict
 * @param cause why it was not confirmed, for code to act on
 * @param detail the same cause for people, in the broker's or our own words; empty when confirmed
 * @param strategy how the message is held
 * @param reason why that strategy was picked
 * @param deliverAt when the message is due: the instant asked for, rounded up to whole
 *     milliseconds, plus the spread. It is never delivered earlier
 * @param spread how much later than asked for the message is due, by its route's {@code spread};
 *     zero without one
 * @param duplicate whether the same message was stored before under this id; nothing was added
 */
public record PublishReceipt(
    String id,
    String route,
    PublishOutcome outcome,
    Cause cause,
    String detail,
    DelayStrategy strategy,
    String reason,
    Instant deliverAt,
    Duration spread,
    boolean duplicate) {

  /** Why a message was not confirmed. */
  public enum Cause {
    /** It was confirmed. */
    NONE,
    /** The broker returned it: no queue is bound for its exchange and routing key. */
    NO_ROUTE,
    /** The broker answered with {@code basic.nack}: a queue refused it, perhaps a full one. */
    NACKED,
    /** The exchange that it was published to does not exist. */
    NO_EXCHANGE,
    /** Its exchange takes no message: it is internal, or a permission is missing. */
    EXCHANGE_REFUSED,
    /** Its channel or connection ended before the answer; closing the publisher does that, too. */
    CHANNEL_LOST,
    /** The broker did not answer within the {@code confirm-timeout}. */
    NO_ANSWER,
    /** There was no connection or no channel. */
    NOT_CONNECTED,
    /** The broker blocks publishers: it is low on memory or disk. */
    BLOCKED,
    /** Its target, its queue or the wheel could not be declared or checked in time. */
    NOT_PREPARED,
    /**
     * A limit is reached: {@code max-in-flight}, the bytes in flight, or {@code
     * temporary-queues.max}. Or it needs a queue, and the broker allows no further one.
     */
    NO_ROOM,
    /** The route's {@code insert-limit} is reached. */
    INSERT_LIMIT,
    /** The store refused it or did not answer. */
    STORE,
    /** The publisher was closed before it was sent or stored. */
    PUBLISHER_CLOSED
  }

  /** Whether the broker, or the store, has the message. */
  public boolean confirmed() {
    return outcome == PublishOutcome.CONFIRMED;
  }
}
