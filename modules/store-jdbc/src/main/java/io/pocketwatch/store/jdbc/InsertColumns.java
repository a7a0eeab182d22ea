// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.ScheduledMessage;
import org.jspecify.annotations.Nullable;

/** The columns a new row is given by its message; the rest is the same for the whole batch. */
final class InsertColumns {
  static final String GIVEN =
      "route, id, business_key, exchange, routing_key, properties, body, deliver_at,"
          + " first_deliver_at, next_at, tracking";

  /** Behind the given ones. */
  static final String REST = "state, holder, lease_until, fence, created_at, updated_at";

  private InsertColumns() {}

  static @Nullable Object[] of(ScheduledMessage message) {
    long deliverAt = Millis.ceiling(message.deliverAt());
    return new @Nullable Object[] {
      message.key().route(),
      message.key().id(),
      message.businessKey(),
      message.exchange(),
      message.routingKey(),
      message.properties(),
      message.body(),
      deliverAt,
      deliverAt,
      deliverAt,
      message.tracking().name()
    };
  }
}
