// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * An empty database of a test's own, dropped by {@link #close}.
 *
 * @param url its JDBC URL, user and password included
 * @param adminUrl where it can be dropped from
 * @param drop the statement that does
 */
public record TestDatabase(String url, String adminUrl, String drop) implements AutoCloseable {
  @Override
  public void close() throws SQLException {
    execute(adminUrl, drop);
  }

  static void execute(String url, String statement) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement jdbc = connection.createStatement()) {
      jdbc.execute(statement);
    }
  }
}
