// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.base.ErrorWords;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Statements with their parameters and rows. */
final class Jdbc {
  /** Makes an object of the row the cursor is at. */
  interface RowMapper<T> {
    T map(ResultSet row) throws SQLException;
  }

  private Jdbc() {}

  /** The reason in the database's own words, which a pool without a connection has as the cause. */
  static String words(SQLException failure) {
    SQLException innermost = failure;
    while (innermost.getCause() instanceof SQLException cause) {
      innermost = cause;
    }
    return ErrorWords.of(innermost);
  }

  static <T> List<T> list(
      Connection connection, String sql, RowMapper<T> mapper, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      try (ResultSet rows = rows(statement)) {
        List<T> list = new ArrayList<>();
        while (rows.next()) {
          list.add(mapper.map(rows));
        }
        return list;
      }
    }
  }

  /** The rows of a statement, past other statements before it that return none. */
  static ResultSet rows(PreparedStatement statement) throws SQLException {
    boolean given = statement.execute();
    while (!given) {
      if (statement.getUpdateCount() < 0) {
        throw new SQLException("a statement gave no rows");
      }
      given = statement.getMoreResults();
    }
    return statement.getResultSet();
  }

  static <T> Optional<T> first(
      Connection connection, String sql, RowMapper<T> mapper, @Nullable Object... parameters)
      throws SQLException {
    return list(connection, sql, mapper, parameters).stream().findFirst();
  }

  static int update(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      return statement.executeUpdate();
    }
  }

  static void bind(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return Instant.ofEpochMilli(row.getLong(column));
  }

  static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
    Long value = longOrNull(row, column);
    return value == null ? null : Instant.ofEpochMilli(value);
  }

  static @Nullable Duration millisOrNull(ResultSet row, String column) throws SQLException {
    Long value = longOrNull(row, column);
    return value == null ? null : Duration.ofMillis(value);
  }
}
