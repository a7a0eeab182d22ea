// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Deletes finished rows after their retention, a batch at a time and the earliest first. */
final class FinishedRows {
  /** A row to delete, and its place in the order of its kind. */
  private record Finished(MessageKey key, long at) {}

  private final Sql sql;
  private final Bulk bulk;
  private final Progress progress;

  /**
   * Where the last batch ended if it was a full one, else 0. So the next batch does not step once
   * more over rows whose copies are not old enough, nor over those that were just deleted.
   */
  private volatile long from;

  /** As {@link #from}, for rows that were handed off, by the instant at which they were due. */
  private volatile long handedOffFrom = LowerBounds.NONE;

  FinishedRows(Sql sql, Bulk bulk, Progress progress) {
    this.sql = sql;
    this.bulk = bulk;
    this.progress = progress;
  }

  int delete(Connection connection, Retention retention, int limit) throws SQLException {
    RowLimits.limit(limit, OverdueRows.MAX_ROWS);
    // As a value: an expression that changes from row to row cannot use an index.
    long now = sql.millis(connection);
    long finishedBy = now - retention.keep().toMillis();
    long heldBy = now - RowLimits.millis(retention.grace());
    // A copy may wait in its queue: until it arrives, the row must be there to have it skipped.
    long copyBy = Math.min(finishedBy, heldBy);
    List<Finished> finished =
        Jdbc.list(
            connection,
            sql.text(
                "{plan-anew}SELECT route, id, finished_at FROM {message} WHERE finished_at >= ?"
                    + " AND finished_at <= ? AND (held_until IS NULL OR held_until <= ?)"
                    + " ORDER BY finished_at LIMIT ?{skip-locked}"),
            row -> new Finished(MessageRows.key(row), row.getLong("finished_at")),
            from,
            finishedBy,
            copyBy,
            limit);
    from = finished.size() < limit ? 0 : finished.get(limit - 1).at();
    List<MessageKey> candidates = new ArrayList<>(finished.stream().map(Finished::key).toList());
    if (candidates.size() < limit) {
      int rest = limit - candidates.size();
      List<Finished> handedOff =
          Jdbc.list(
              connection,
              sql.text(
                  "SELECT route, id, deliver_at FROM {message} WHERE state = 'HELD'"
                      + " AND tracking <> 'FULL' AND deliver_at >= ? AND deliver_at <= ?"
                      + " AND (held_until IS NULL OR held_until <= ?)"
                      + " ORDER BY deliver_at LIMIT ?{skip-locked}"),
              row -> new Finished(MessageRows.key(row), row.getLong("deliver_at")),
              handedOffFrom,
              heldBy,
              heldBy,
              rest);
      handedOffFrom = handedOff.size() < rest ? LowerBounds.NONE : handedOff.get(rest - 1).at();
      handedOff.forEach(each -> candidates.add(each.key()));
    }
    List<MessageKey> keys =
        bulk.select(
            connection,
            Bulk.Planned.ANEW,
            sql.text("SELECT route, id FROM {message}"),
            sql.text(
                " AND (finished_at IS NOT NULL OR state = 'HELD' AND tracking <> 'FULL')"
                    + "{key-skip-locked}"),
            candidates,
            MessageRows::key);
    bulk.update(connection, sql.text("DELETE FROM {message}"), keys);
    progress.forget(connection, finishedBy);
    return keys.size();
  }
}
