// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A message's row, locked until the transaction ends. Whoever looks at handlings and acts on what
 * he sees locks this row first, so begin, settle, cancel and reschedule follow one another.
 */
record LockedRow(MessageState state, int generation, long deliverAt) {
  /** The statement behind this one sees everything that was committed before the lock was had. */
  static Optional<LockedRow> of(Connection connection, Sql sql, MessageKey key)
      throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    return Jdbc.first(
        connection,
        sql.text(
            "SELECT state, generation, deliver_at FROM {message} WHERE route = ? AND id = ?"
                + " FOR UPDATE"),
        LockedRow::of,
        key.route(),
        key.id());
  }

  /** Those of the rows that nobody else has locked; the others, and absent ones, are left out. */
  static Map<MessageKey, LockedRow> unlocked(
      Connection connection, Sql sql, Bulk bulk, List<MessageKey> keys) throws SQLException {
    Map<MessageKey, LockedRow> rows = new HashMap<>();
    bulk.select(
        connection,
        sql.text("SELECT route, id, state, generation, deliver_at FROM {message}"),
        sql.dialect().skipLocked(),
        keys,
        row -> rows.put(MessageRows.key(row), of(row)));
    return rows;
  }

  private static LockedRow of(ResultSet row) throws SQLException {
    return new LockedRow(
        MessageState.valueOf(row.getString("state")),
        row.getInt("generation"),
        row.getLong("deliver_at"));
  }

  /** Whether a handling of this generation may begin or end. */
  boolean open() {
    return state != MessageState.SETTLED && state != MessageState.CANCELLED;
  }
}
