// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** What waits is due earlier. Leases stay: who handles or sends a message now goes on with it. */
final class MovedTime {
  /** What has an owner is on its way to the broker, or there. */
  private static final String DUE =
      "SELECT COUNT(*) FROM {message} WHERE state = 'PENDING' AND owner IS NULL"
          + " AND next_at > {now} AND next_at <= {now} + ?";

  private static final String ROWS =
      "UPDATE {message} SET deliver_at = deliver_at - ?, next_at = next_at - ?"
          + " WHERE state IN ('PENDING', 'HELD')";

  private static final String AGAIN =
      " SET handling_until = handling_until - ? WHERE again_queue <> ''";

  private static final String TRIES_OF_FIRST = "UPDATE {message}" + AGAIN;

  private static final String TRIES_OF_FURTHER = "UPDATE {settlement}" + AGAIN;

  private final Sql sql;

  MovedTime(Sql sql) {
    this.sql = sql;
  }

  /** How many messages are due by that. */
  int advance(Connection connection, Duration time) throws SQLException {
    long millis = time.toMillis();
    int due = Jdbc.first(connection, sql.text(DUE), row -> row.getInt(1), millis).orElseThrow();
    Jdbc.update(connection, sql.text(ROWS), millis, millis);
    Jdbc.update(connection, sql.text(TRIES_OF_FIRST), millis);
    Jdbc.update(connection, sql.text(TRIES_OF_FURTHER), millis);
    return due;
  }
}
