// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.Handler;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.Change;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Rows of the message table as objects. */
final class MessageRows {
  static final String COLUMNS =
      "route, id, business_key, exchange, routing_key, properties, body, deliver_at, tracking,"
          + " state, generation, attempts, next_at, next_queue, held_until, reason,"
          + " created_at, updated_at, fence, changed_by, changed_at";

  private static final String HANDLER =
      ", CASE WHEN state = 'PENDING' AND holder IS NOT NULL AND begun_at IS NOT NULL"
          + " THEN %1$s END AS handler_%1$s";

  /** The columns without those that may be large, but with the holder of the row. */
  static final String SUMMARY_COLUMNS =
      COLUMNS.replace(
              " properties, body,",
              " OCTET_LENGTH(properties) AS properties_bytes, OCTET_LENGTH(body) AS body_bytes,")
          + ", lease_until"
          + HANDLER.formatted("consumer")
          + HANDLER.formatted("begun_at");

  private static final byte[] NOTHING = {};

  private MessageRows() {}

  static StoredMessage map(ResultSet row) throws SQLException {
    return map(row, row.getBytes("properties"), row.getBytes("body"));
  }

  static MessageSummary summary(ResultSet row) throws SQLException {
    String handler = row.getString("handler_consumer");
    return new MessageSummary(
        map(row, NOTHING, NOTHING),
        row.getInt("body_bytes"),
        row.getInt("properties_bytes"),
        Jdbc.instant(row, "lease_until"),
        handler == null ? null : new Handler(handler, Jdbc.instant(row, "handler_begun_at")));
  }

  private static StoredMessage map(ResultSet row, byte[] properties, byte[] body)
      throws SQLException {
    ScheduledMessage message =
        new ScheduledMessage(
            key(row),
            row.getString("business_key"),
            row.getString("exchange"),
            row.getString("routing_key"),
            properties,
            body,
            Jdbc.instant(row, "deliver_at"),
            Tracking.valueOf(row.getString("tracking")));
    return new StoredMessage(
        message,
        MessageState.valueOf(row.getString("state")),
        row.getInt("generation"),
        row.getInt("attempts"),
        Jdbc.instant(row, "next_at"),
        row.getString("next_queue"),
        Jdbc.instantOrNull(row, "held_until"),
        Jdbc.instant(row, "created_at"),
        Jdbc.instant(row, "updated_at"),
        row.getString("reason"),
        change(row));
  }

  private static @Nullable Change change(ResultSet row) throws SQLException {
    Instant at = Jdbc.instantOrNull(row, "changed_at");
    return at == null ? null : new Change(row.getString("changed_by"), at);
  }

  static MessageKey key(ResultSet row) throws SQLException {
    return new MessageKey(row.getString("route"), row.getString("id"));
  }
}
