// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Finished rows on their way out. */
final class History {
  private static final String KEPT =
      "route, id, business_key, exchange, routing_key, properties, body, deliver_at,"
          + " first_deliver_at, tracking, state, generation, attempts,"
          + " held_until, reason, created_at, updated_at, changed_by, changed_at, changes";

  /** What leaves the history must keep up with what enters it. */
  private static final int EMPTIED_PER_MOVED = 10;

  /** A finished row, and when it ended. */
  private record Finished(MessageKey key, long at) {}

  private final Sql sql;
  private final Bulk bulk;
  private final Progress progress;

  /**
   * Where the last batch ended if it was a full one, else 0. So the next batch does not step once
   * more over rows whose copies are not old enough.
   */
  private volatile long from;

  History(Sql sql, Bulk bulk, Progress progress) {
    this.sql = sql;
    this.bulk = bulk;
    this.progress = progress;
  }

  int move(Connection connection, Retention retention, int limit) throws SQLException {
    RowLimits.limit(limit, Recovery.MAX_ROWS);
    // As a value: an expression that changes from row to row cannot use an index.
    long now = sql.millis(connection);
    long finishedBy = now - retention.keep().toMillis();
    long heldBy = now - RowLimits.millis(retention.grace());
    // A copy may have to wait in its queue: until it comes, somebody has to know that it is to be
    // skipped.
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
      candidates.addAll(
          Jdbc.list(
              connection,
              sql.text(
                  "SELECT route, id FROM {message} WHERE state = 'HELD' AND tracking <> 'FULL'"
                      + " AND deliver_at <= ? AND (held_until IS NULL OR held_until <= ?)"
                      + " ORDER BY deliver_at LIMIT ?{skip-locked}"),
              MessageRows::key,
              heldBy,
              heldBy,
              limit - candidates.size()));
    }
    List<MessageKey> keys =
        bulk.select(
            connection,
            Bulk.Planned.ANEW,
            sql.text("SELECT route, id FROM {message}"),
            " AND (finished_at IS NOT NULL OR state = 'HELD' AND tracking <> 'FULL') FOR UPDATE",
            candidates,
            MessageRows::key);
    for (String step :
        List.of(
            "INSERT INTO {history} (%1$s, finished_at, moved_at) SELECT %1$s, COALESCE(finished_at, deliver_at), {now} FROM {message}"
                .formatted(KEPT),
            "DELETE FROM {message}")) {
      bulk.update(connection, sql.text(step), keys);
    }
    progress.forget(connection, finishedBy);
    Duration history = retention.history();
    if (history != null) {
      empty(connection, now - history.toMillis(), EMPTIED_PER_MOVED * limit);
    }
    return keys.size();
  }

  /** From the oldest end, where rows lie in the order of their coming. */
  private void empty(Connection connection, long movedBy, int limit) throws SQLException {
    String oldest =
        "SELECT MAX(seq) FROM (SELECT seq, moved_at FROM {history} ORDER BY seq LIMIT ?)"
            + " oldest WHERE moved_at <= ?";
    long last =
        Jdbc.first(connection, sql.text(oldest), row -> row.getLong(1), limit, movedBy).orElse(0L);
    Jdbc.update(
        connection,
        sql.text("DELETE FROM {history} WHERE seq <= ? AND moved_at <= ?"),
        last,
        movedBy);
  }
}
