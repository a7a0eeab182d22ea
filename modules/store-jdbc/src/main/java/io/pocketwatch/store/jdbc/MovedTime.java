// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoredMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** What waits is due earlier. Leases stay: who handles or sends a message now goes on with it. */
final class MovedTime {
  /** As {@link StoredMessage#sentWhenDue}: claimed or not, no broker holds it. */
  private static final String SENT_WHEN_DUE = "(tracking = 'FULL' OR next_queue IS NOT NULL)";

  /** What else is claimed is on its way to the broker's hold queues, or there. */
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

  /** How many are on their way to the broker, which is to hold them. */
  int handedOffNow(Connection connection) throws SQLException {
    return Jdbc.first(connection, sql.text(HANDED_OFF_NOW), row -> row.getInt(1)).orElseThrow();
  }

  /** How many messages are due by that. */
  int advance(Connection connection, Duration time) throws SQLException {
    long millis = time.toMillis();
    int due = Jdbc.first(connection, sql.text(DUE), row -> row.getInt(1), millis).orElseThrow();
    Jdbc.update(connection, sql.text(ROWS), millis, millis);
    return due;
  }
}
