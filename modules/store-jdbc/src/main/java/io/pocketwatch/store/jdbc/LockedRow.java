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
record LockedRow(MessageState state, int generation, long deliverAt, boolean othersWait) {
  private static final String COLUMNS =
      "state, generation, deliver_at, owner, held_until, settlements";

  /** The statement behind this one sees everything that was committed before the lock was had. */
  static Optional<LockedRow> of(Connection connection, Sql sql, MessageKey key)
      throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    return Jdbc.first(
        connection,
        sql.text("SELECT " + COLUMNS + " FROM {message} WHERE route = ? AND id = ? FOR UPDATE"),
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
        sql.text("SELECT route, id, " + COLUMNS + " FROM {message}"),
        sql.dialect().skipLocked(),
        keys,
        row -> rows.put(MessageRows.key(row), of(row)));
    return rows;
  }

  private static LockedRow of(ResultSet row) throws SQLException {
    MessageState state = MessageState.valueOf(row.getString("state"));
    boolean toBeClaimed = state == MessageState.PENDING && row.getString("owner") == null;
    boolean wasHeld = row.getObject("held_until") != null;
    return new LockedRow(
        state,
        row.getInt("generation"),
        row.getLong("deliver_at"),
        toBeClaimed && (wasHeld || row.getInt("settlements") > 1));
  }

  /**
   * Whether what one consumer could not do changes nothing of it: others wait for a copy that goes
   * to the broker again, which has lost theirs or never took it; or for a human; or all that were
   * expected have settled it.
   */
  boolean stays() {
    return othersWait || state == MessageState.PARKED || settled();
  }

  boolean cancelled() {
    return state == MessageState.CANCELLED;
  }

  /** Whether as many consumers have settled it as its route expects. */
  boolean settled() {
    return state == MessageState.SETTLED;
  }
}
