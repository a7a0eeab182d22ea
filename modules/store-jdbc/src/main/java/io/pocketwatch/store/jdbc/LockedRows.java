// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.jdbc.Bulk.Planned;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads messages' rows, locked or not. */
final class LockedRows {
  private static final String ROWS = "SELECT " + LockedRow.COLUMNS + " FROM {message}";

  private final Sql sql;
  private final Bulk bulk;

  LockedRows(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
  }

  /** Waits for whoever else has locked it, and then sees what he has done. */
  Optional<LockedRow> waitFor(Connection connection, MessageKey key) throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    String lock = "SELECT id FROM {message} WHERE route = ? AND id = ? FOR UPDATE";
    Jdbc.list(connection, sql.text(lock), row -> row.getString(1), key.route(), key.id());
    @Nullable LockedRow row =
        read(connection, Planned.ANEW, List.of(key), sql.text("{current-read}")).get(key);
    return Optional.ofNullable(row);
  }

  /** Those that nobody else has locked; absent ones are left out, too. */
  Map<MessageKey, LockedRow> unlocked(Connection connection, List<MessageKey> keys)
      throws SQLException {
    return read(connection, Planned.ONCE, keys, sql.text("{key-skip-locked}"));
  }

  /** To look at only. */
  Map<MessageKey, LockedRow> seen(Connection connection, List<MessageKey> keys)
      throws SQLException {
    return read(connection, Planned.ONCE, keys, "");
  }

  private Map<MessageKey, LockedRow> read(
      Connection connection, Planned planned, List<MessageKey> keys, String suffix)
      throws SQLException {
    Map<MessageKey, LockedRow> rows = new HashMap<>();
    List<MessageKey> possible = keys.stream().filter(RowLimits::possible).distinct().toList();
    bulk.select(connection, planned, sql.text(ROWS), suffix, possible, LockedRow::of)
        .forEach(row -> rows.put(row.key(), row));
    return rows;
  }
}
