// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Instant;

/**
 * What became of one publish call.
 *
 * @param id the message's id, new for each call unless the caller gave one; travels as {@code
 *     message-id}, or as {@link Headers#ID} where the message has one of its own
 * @param route the route the message matched, {@code defaults} when none did
 * @param outcome the broker's verdict
 * @param detail the broker's or our own words about the outcome; empty when confirmed
 * @param strategy how the message is held
 * @param reason why that strategy was picked
 * @param deliverAt the instant asked for, in whole milliseconds (rounded up); the message is never
 *     delivered before it
 * @param duplicate whether the same message was stored before under this id; nothing was added
 */
public record PublishReceipt(
    String id,
    String route,
    PublishOutcome outcome,
    String detail,
    DelayStrategy strategy,
    String reason,
    Instant deliverAt,
    boolean duplicate) {

  /** Whether the broker, or the store, has the message. */
  public boolean confirmed() {
    return outcome == PublishOutcome.CONFIRMED;
  }
}
