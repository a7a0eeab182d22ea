// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.ChangeOutcome;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
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

  private static final String CHANGED = ", changed_by = ?, changed_at = {now}, updated_at = {now}";

  private final Sql sql;

  Changes(Sql sql) {
    this.sql = sql;
  }

  /** What consumers have done with a message. */
  private record Handlings(boolean settled, boolean underWay) {}

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
        sql.text(
            "UPDATE {message} SET "
                + COPY_UNTIL
                + ", deliver_at = ?, state = 'PENDING', generation = generation + 1, attempts = 0,"
                + " owner = NULL, lease_until = 0, epoch = NULL, reason = NULL,"
                + " finished_at = NULL"
                + CHANGED
                + " WHERE route = ? AND id = ?"
                + RECALLABLE),
        Millis.ceiling(deliverAt),
        RowLimits.actor(actor),
        key.route(),
        key.id());
  }

  private ChangeOutcome unlessHandled(
      Connection connection, MessageKey key, String update, @Nullable Object... parameters)
      throws SQLException {
    LockedRow row = LockedRow.of(connection, sql, key).orElse(null);
    if (row == null) {
      return ChangeOutcome.UNKNOWN;
    }
    Handlings handlings = handlings(connection, key);
    // Settled by one of several consumers counts: "cancelled" would be half a lie.
    if (row.settled() || row.cancelled() || handlings.settled) {
      return ChangeOutcome.TOO_LATE;
    }
    if (handlings.underWay) {
      return ChangeOutcome.BEING_HANDLED;
    }
    boolean changed = Jdbc.update(connection, update, parameters) > 0;
    return changed ? ChangeOutcome.DONE : ChangeOutcome.TOO_LATE;
  }

  ChangeOutcome release(Connection connection, MessageKey key, @Nullable String actor)
      throws SQLException {
    LockedRow row = LockedRow.of(connection, sql, key).orElse(null);
    if (row == null) {
      return ChangeOutcome.UNKNOWN;
    }
    if (row.settled() || row.cancelled()) {
      return ChangeOutcome.TOO_LATE;
    }
    if (handlings(connection, key).underWay) {
      return ChangeOutcome.BEING_HANDLED;
    }
    if (row.state() == MessageState.PENDING) {
      // Waiting to be loaded already, or being loaded; only a pause can be in the way.
      Jdbc.update(
          connection,
          sql.text(
              "UPDATE {message} SET attempts = 0, lease_until = 0"
                  + CHANGED
                  + " WHERE route = ? AND id = ? AND owner IS NULL"),
          RowLimits.actor(actor),
          key.route(),
          key.id());
      return ChangeOutcome.DONE;
    }
    Jdbc.update(
        connection,
        sql.text(
            "UPDATE {message} SET "
                + COPY_UNTIL
                + ", state = 'PENDING', generation = generation + 1, attempts = 0, owner = NULL,"
                + " lease_until = 0, epoch = NULL, reason = NULL, finished_at = NULL"
                + CHANGED
                + " WHERE route = ? AND id = ?"),
        RowLimits.actor(actor),
        key.route(),
        key.id());
    return ChangeOutcome.DONE;
  }

  private Handlings handlings(Connection connection, MessageKey key) throws SQLException {
    List<Handlings> each =
        Jdbc.list(
            connection,
            sql.text(
                "SELECT settled_at IS NOT NULL AS settled, lease_until > {now} AS leased"
                    + " FROM {settlement} WHERE route = ? AND id = ?"),
            row -> new Handlings(row.getBoolean("settled"), row.getBoolean("leased")),
            key.route(),
            key.id());
    return new Handlings(
        each.stream().anyMatch(Handlings::settled),
        each.stream().anyMatch(one -> !one.settled && one.underWay));
  }
}
