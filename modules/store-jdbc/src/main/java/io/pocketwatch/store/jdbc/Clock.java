// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** The database's clock. */
final class Clock {
  private Clock() {}

  static long millis(Connection connection, Sql sql) throws SQLException {
    return Jdbc.list(connection, sql.text("SELECT {now}"), row -> row.getLong(1)).get(0);
  }
}
