// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/** The handler's own table, in the database of the store. Its key allows one effect per message. */
public final class Effects {
  private static final String INSERT =
      "INSERT INTO pocketwatch_faults_effect (message, handled_at) VALUES (?, ?)";

  private Effects() {}

  public static void createTable(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS pocketwatch_faults_effect"
              + " (message VARCHAR(100) PRIMARY KEY, handled_at BIGINT NOT NULL)");
    }
  }

  /** Within the caller's transaction. */
  public static void add(Connection connection, String message, long handledAt)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, message);
      insert.setLong(2, handledAt);
      insert.executeUpdate();
    }
  }

  /** Whether it says that the effect was there already. */
  public static boolean isSecond(SQLException failure) {
    return failure.getSQLState() != null && failure.getSQLState().startsWith("23");
  }

  /** Of messages whose id begins so: when each was handled, in milliseconds of the database. */
  public static Map<String, Long> read(DataSource dataSource, String prefix) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT message, handled_at FROM pocketwatch_faults_effect WHERE message LIKE ?")) {
      query.setString(1, prefix + "%");
      Map<String, Long> handled = new HashMap<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          handled.put(rows.getString(1), rows.getLong(2));
        }
      }
      return handled;
    }
  }

  public static int count(DataSource dataSource, String prefix) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT COUNT(*) FROM pocketwatch_faults_effect WHERE message LIKE ?")) {
      query.setString(1, prefix + "%");
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
