// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.LoadingStore.Overdue;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sets rows back to PENDING that were sent and never begun: overtaken ones, or as a probe. */
final class OverdueRows {
  static final int MAX_ROWS = 100_000;

  private final Sql sql;
  private final Bulk bulk;
  private final Progress progress;
  private final RowChange pendingAgain;

  OverdueRows(Sql sql, Bulk bulk, Progress progress) {
    this.sql = sql;
    this.bulk = bulk;
    this.progress = progress;
    this.pendingAgain =
        sql.change(
            "UPDATE {message} SET state = 'PENDING', holder = NULL, lease_until = 0,"
                + " attempts = 0, updated_at = {now}{from} WHERE route = :route AND id = :id AND"
                + " state = 'HELD'",
            "route text, id text");
  }

  int returnOverdue(
      Connection connection, String route, Instant dueBefore, Instant heldBefore, int limit)
      throws SQLException {
    RowLimits.limit(limit, MAX_ROWS);
    long due = Millis.ceiling(dueBefore);
    List<MessageKey> keys =
        Jdbc.list(
            connection,
            sql.text(
                "{plan-anew}SELECT route, id FROM {message} WHERE state = 'HELD' AND route = ?"
                    + " AND deliver_at < ? AND next_at < ? AND tracking = 'FULL'"
                    + " AND held_until < ?"
                    + " ORDER BY deliver_at, route, id LIMIT ?{skip-locked}"),
            MessageRows::key,
            route,
            due,
            due,
            Millis.ceiling(heldBefore),
            limit);
    if (keys.isEmpty()) {
      return 0;
    }
    List<@Nullable Object[]> values =
        Bulk.values(keys, key -> new @Nullable Object[] {key.route(), key.id()});
    int returned = 0;
    for (boolean changed : bulk.change(connection, Bulk.Planned.ANEW, pendingAgain, values)) {
      returned += changed ? 1 : 0;
    }
    return returned;
  }

  List<Overdue> overdue(Connection connection, Instant dueBefore) throws SQLException {
    List<Overdue> counted =
        Jdbc.list(
            connection,
            sql.text(
                "SELECT route, COUNT(*) AS not_begun,"
                    // held_until is when it was sent last.
                    + " SUM(CASE WHEN held_until < ? THEN 1 ELSE 0 END) AS overdue,"
                    + " MIN(CASE WHEN held_until < ? THEN next_at END) AS oldest FROM {message}"
                    + " WHERE state = 'HELD' AND tracking = 'FULL' AND deliver_at < ?"
                    + " AND next_at < ?"
                    + " GROUP BY route HAVING MIN(held_until) < ? ORDER BY route"),
            row ->
                new Overdue(
                    row.getString("route"),
                    row.getLong("overdue"),
                    row.getLong("not_begun"),
                    Jdbc.instant(row, "oldest"),
                    List.of()),
            Millis.ceiling(dueBefore),
            Millis.ceiling(dueBefore),
            Millis.ceiling(dueBefore),
            Millis.ceiling(dueBefore),
            Millis.ceiling(dueBefore));
    List<Overdue> overdue = new ArrayList<>();
    for (Overdue each : counted) {
      overdue.add(
          new Overdue(
              each.route(),
              each.count(),
              each.notBegun(),
              each.oldest(),
              progress.of(connection, each.route())));
    }
    return overdue;
  }
}
