// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses to work on tables of another version than this code's. */
final class SchemaCheck {
  static final int VERSION = 1;

  private static final String HOW =
      "run `./pocketwatch schema --create --config FILE` or JdbcSchema.create";

  private SchemaCheck() {}

  static void check(Connection connection, Tables tables) throws SQLException {
    Integer found = version(connection, tables);
    if (found == null) {
      throw new StoreException(
          "the database has no Pocketwatch tables (prefix '" + tables.prefix() + "'): " + HOW);
    }
    if (found < VERSION) {
      throw new StoreException(
          "the Pocketwatch tables are of version %s, older than this library's %s: %s"
              .formatted(found, VERSION, HOW));
    }
    requireNotNewer(found);
  }

  /** Refuses tables of a newer version: there is no way back. */
  static void requireNotNewer(int found) {
    if (found > VERSION) {
      throw new StoreException(
          ("the Pocketwatch tables are of version %s, newer than this library's %s: update the"
                  + " library (`pocketwatch schema` and JdbcSchema.create never go back)")
              .formatted(found, VERSION));
    }
  }

  /** The version of the present tables; null if there are none. */
  static @Nullable Integer version(Connection connection, Tables tables) throws SQLException {
    try {
      List<Integer> versions =
          Jdbc.list(
              connection, "SELECT version FROM " + tables.schema(), row -> row.getInt("version"));
      return versions.stream().max(Integer::compare).orElse(null);
    } catch (SQLException e) {
      // Class 42 is "syntax error or access rule violation"; these say that the table is unknown.
      String state = String.valueOf(e.getSQLState());
      if (state.equals("42P01") || state.startsWith("42S")) {
        return null;
      }
      throw e;
    }
  }
}
