// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Cancel, reschedule, release by hand. */
final class Changes {
  /**
   * Copies on the broker of rows that are not tracked to the end would be delivered unchecked, so
   * such a row changes only while no copy can exist. Who owned it and is gone may have made one.
   */
  private static final String RECALLABLE =
      " AND (tracking = 'FULL' OR state = 'PENDING' AND owner IS NULL AND held_until IS NULL"
          + " OR state = 'PARKED' AND (held_until IS NULL OR held_until <= {now}))";

  /** Whoever claimed the row may have published it without having marked it. */
  private static final String COPY_UNTIL =
      "held_until = CASE WHEN tracking = 'FULL' AND fence > 0"
          + " AND (held_until IS NULL OR held_until < deliver_at)"
          + " THEN deliver_at ELSE held_until END";

  /** As a new version, to be loaded anew. */
  private static final String ANEW =
      "UPDATE {message} SET "
          + COPY_UNTIL
          + ", state = 'PENDING', generation = generation + 1, attempts = 0, owner = NULL,"
          + " lease_until = 0, epoch = NULL, reason = NULL, finished_at = NULL";

  private static final String CHANGED = ", changed_by = ?, changed_at = {now}, updated_at = {now}";

  private final Sql sql;
  private final LockedRows rows;

  Changes(Sql sql, LockedRows rows) {
    this.sql = sql;
    this.rows = rows;
  }

  ChangeOutcome cancel(Connection connection, MessageKey key, @Nullable String actor)
      throws SQLException {
    return unlessHandled(
        connection,
        key,
        sql.text(
            "UPDATE {message} SET "
                + COPY_UNTIL
                + ", state = 'CANCELLED', owner = NULL, lease_until = 0, finished_at = {now}"
                + CHANGED
                + " WHERE route = ? AND id = ?"
                + RECALLABLE),
        RowLimits.actor(actor),
        key.route(),
        key.id());
  }

  ChangeOutcome reschedule(
      Connection connection, MessageKey key, Instant deliverAt, @Nullable String actor)
      throws SQLException {
    return unlessHandled(
        connection,
        key,
        sql.text(ANEW + ", deliver_at = ?" + CHANGED + " WHERE route = ? AND id = ?" + RECALLABLE),
        Millis.ceiling(deliverAt),
        RowLimits.actor(actor),
        key.route(),
        key.id());
  }

  private ChangeOutcome unlessHandled(
      Connection connection, MessageKey key, String update, @Nullable Object... parameters)
      throws SQLException {
    LockedRow row = rows.waitFor(connection, key).orElse(null);
    if (row == null) {
      return ChangeOutcome.UNKNOWN;
    }
    if (row.settled() || row.cancelled() || row.settledByAny()) {
      return ChangeOutcome.TOO_LATE;
    }
    if (row.beingHandled()) {
      return ChangeOutcome.BEING_HANDLED;
    }
    boolean changed = Jdbc.update(connection, update, parameters) > 0;
    return changed ? ChangeOutcome.DONE : ChangeOutcome.TOO_LATE;
  }

  ChangeOutcome release(Connection connection, MessageKey key, @Nullable String actor)
      throws SQLException {
    LockedRow row = rows.waitFor(connection, key).orElse(null);
    if (row == null) {
      return ChangeOutcome.UNKNOWN;
    }
    if (row.settled() || row.cancelled()) {
      return ChangeOutcome.TOO_LATE;
    }
    if (row.beingHandled()) {
      return ChangeOutcome.BEING_HANDLED;
    }
    String anew = ANEW + CHANGED + " WHERE route = ? AND id = ?";
    // Waiting to be loaded already, or being loaded: only a pause can be in the way.
    String soon =
        "UPDATE {message} SET attempts = 0, lease_until = 0"
            + CHANGED
            + " WHERE route = ? AND id = ? AND owner IS NULL";
    Jdbc.update(
        connection,
        sql.text(row.state() == MessageState.PENDING ? soon : anew),
        RowLimits.actor(actor),
        key.route(),
        key.id());
    return ChangeOutcome.DONE;
  }
}
