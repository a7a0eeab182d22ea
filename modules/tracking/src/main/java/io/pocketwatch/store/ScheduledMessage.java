// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.config.DelayRoute.Tracking;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way into the store, checked and encoded.
 *
 * @param key route and id
 * @param businessKey the caller's own name for it, up to 200 characters; need not be unique
 * @param exchange the user's exchange
 * @param routingKey the user's routing key
 * @param properties its AMQP properties in AMQP's own encoding, which keeps header types
 * @param body the payload
 * @param deliverAt when it is due, in whole milliseconds on the database's clock
 * @param tracking how long its row is kept
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed through, never compared
public record ScheduledMessage(
    MessageKey key,
    @Nullable String businessKey,
    String exchange,
    String routingKey,
    byte[] properties,
    byte[] body,
    Instant deliverAt,
    Tracking tracking) {
  private static final byte[] NOTHING = {};

  /** The same, without its body and its properties. */
  public ScheduledMessage withoutContent() {
    return new ScheduledMessage(
        key, businessKey, exchange, routingKey, NOTHING, NOTHING, deliverAt, tracking);
  }
}
