// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoredMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Makes waiting messages due earlier. Leases stay, so that sends and handlings go on. */
final class MovedTime {
  /** As {@link StoredMessage#sentWhenDue}: claimed or not, no broker holds it. */
  private static final String SENT_WHEN_DUE = "(tracking = 'FULL' OR next_queue IS NOT NULL)";

  /** Other claimed rows are on their way to the broker's hold queues, or there. */
  private static final String DUE =
      "SELECT COUNT(*) FROM {message} WHERE state = 'PENDING' AND (lease_until <= {now} OR "
          + SENT_WHEN_DUE
          + ") AND next_at > {now} AND next_at <= {now} + ?";

  private static final String HANDED_OFF_NOW =
      "SELECT COUNT(*) FROM {message} WHERE state = 'PENDING' AND lease_until > {now}"
          + " AND begun_at IS NULL AND NOT "
          + SENT_WHEN_DUE;

  private static final String ROWS =
      "UPDATE {message} SET deliver_at = deliver_at - ?, next_at = next_at - ?"
          + " WHERE state IN ('PENDING', 'HELD')";

  private final Sql sql;

  MovedTime(Sql sql) {
    this.sql = sql;
  }

  /** The number of messages on their way to the broker's hold queues. */
  int handedOffNow(Connection connection) throws SQLException {
    return Jdbc.first(connection, sql.text(HANDED_OFF_NOW), row -> row.getInt(1)).orElseThrow();
  }

  /** The number of messages that have become due. */
  int advance(Connection connection, Duration time) throws SQLException {
    long millis = time.toMillis();
    int due = Jdbc.first(connection, sql.text(DUE), row -> row.getInt(1), millis).orElseThrow();
    Jdbc.update(connection, sql.text(ROWS), millis, millis);
    return due;
  }
}
