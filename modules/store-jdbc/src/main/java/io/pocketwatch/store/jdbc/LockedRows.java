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
  private final Bulk bulk;
  private final String lock;
  private final String select;
  private final String currentRead;
  private final String skipLocked;

  LockedRows(Sql sql, Bulk bulk) {
    this.bulk = bulk;
    this.lock = sql.text("SELECT id FROM {message} WHERE route = ? AND id = ? FOR UPDATE");
    this.select = sql.text("SELECT " + LockedRow.COLUMNS + " FROM {message}");
    this.currentRead = sql.dialect().currentRead();
    this.skipLocked = sql.dialect().keySkipLocked();
  }

  /** Locks a row, waiting for another lock, and reads it as it then is. */
  Optional<LockedRow> waitFor(Connection connection, MessageKey key) throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    Jdbc.list(connection, lock, row -> row.getString(1), key.route(), key.id());
    @Nullable LockedRow row = read(connection, Planned.ANEW, List.of(key), currentRead).get(key);
    return Optional.ofNullable(row);
  }

  /**
   * Rows by key; absent ones are left out.
   *
   * @param ours the rows that are locked by us now
   * @param others the rows that others have locked, only read
   */
  record Found(Map<MessageKey, LockedRow> ours, Map<MessageKey, LockedRow> others) {}

  Found find(Connection connection, List<MessageKey> keys) throws SQLException {
    Map<MessageKey, LockedRow> ours = read(connection, Planned.ONCE, keys, skipLocked);
    List<MessageKey> missing = keys.stream().filter(key -> !ours.containsKey(key)).toList();
    return new Found(ours, seen(connection, missing));
  }

  /** Reads rows without locking them. */
  private Map<MessageKey, LockedRow> seen(Connection connection, List<MessageKey> keys)
      throws SQLException {
    return read(connection, Planned.ONCE, keys, "");
  }

  private Map<MessageKey, LockedRow> read(
      Connection connection, Planned planned, List<MessageKey> keys, String suffix)
      throws SQLException {
    Map<MessageKey, LockedRow> rows = new HashMap<>();
    List<MessageKey> possible = keys.stream().filter(RowLimits::possible).distinct().toList();
    bulk.select(connection, planned, select, suffix, possible, LockedRow::of)
        .forEach(row -> rows.put(row.key(), row));
    return rows;
  }
}
