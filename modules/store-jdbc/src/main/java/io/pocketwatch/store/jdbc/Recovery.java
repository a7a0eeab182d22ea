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

/** The way back to PENDING of what was sent: begun and abandoned, or never begun and overtaken. */
final class Recovery {
  static final int MAX_ROWS = 100_000;

  private static final String NOT_BEGUN = " AND NOT " + aHandling("", "");

  /** A handling that nobody has ended, and its lease is over. */
  private static final String ABANDONED =
      aHandling(
          " AND token <> '' AND settled_at IS NULL AND handling_until <= {now}",
          " AND s.token <> '' AND s.settled_at IS NULL AND s.handling_until <= {now}");

  private final Sql sql;
  private final Bulk bulk;
  private final LockedRows rows;
  private final Progress progress;

  Recovery(Sql sql, Bulk bulk, LockedRows rows, Progress progress) {
    this.sql = sql;
    this.bulk = bulk;
    this.rows = rows;
    this.progress = progress;
  }

  /**
   * Of the present generation; there are further consumers only where there is a first one. None is
   * of a later one, but were it =, PostgreSQL might read all of that table to make a hash of it.
   */
  private static String aHandling(String ofFirst, String ofFurther) {
    return "(handling_generation = generation"
        + ofFirst
        + " OR consumer IS NOT NULL AND EXISTS (SELECT 1 FROM {settlement} s"
        + " WHERE s.route = {message}.route AND s.id = {message}.id"
        + " AND s.handling_generation >= {message}.generation"
        + ofFurther
        + "))";
  }

  /**
   * Looks through what is due and not ended, as {@link #overdue} does. Put off by another consumer
   * can only be what has two, and so are its routes.
   */
  int returnAbandoned(Connection connection, int limit) throws SQLException {
    RowLimits.limit(limit, MAX_ROWS);
    long now = sql.millis(connection);
    List<MessageKey> keys =
        new ArrayList<>(
            Jdbc.list(
                connection,
                sql.text(
                    "{plan-anew}SELECT route, id FROM {message} WHERE state = 'HELD'"
                        + " AND deliver_at <= ? AND "
                        + ABANDONED
                        + " ORDER BY deliver_at, route, id LIMIT ?"),
                MessageRows::key,
                now,
                limit));
    for (String route : Queries.routes(connection, sql, "{settlement} WHERE")) {
      if (keys.size() < limit) {
        keys.addAll(waitingForOthers(connection, route, now, limit - keys.size()));
      }
    }
    List<LockedRow> returned =
        rows.unlocked(connection, keys).values().stream().filter(LockedRow::abandoned).toList();
    rows.write(connection, Bulk.Planned.ANEW, returned);
    return returned.size();
  }

  /** Abandoned by one consumer, and put off by another. Of a route, so that an index finds them. */
  private List<MessageKey> waitingForOthers(
      Connection connection, String route, long now, int limit) throws SQLException {
    return Jdbc.list(
        connection,
        sql.text(
            "{plan-anew}SELECT route, id FROM {message} WHERE state = 'PENDING' AND route = ?"
                + " AND deliver_at <= ? AND next_queue IS NOT NULL AND owner IS NULL"
                + " AND next_at > {now} AND "
                + ABANDONED
                + " ORDER BY deliver_at LIMIT ?"),
        MessageRows::key,
        route,
        now,
        limit);
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
                    + NOT_BEGUN
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
    RowChange change =
        sql.change(
            "UPDATE {message} SET state = 'PENDING', owner = NULL, lease_until = 0,"
                + " attempts = 0, updated_at = {now}{from} WHERE route = :route AND id = :id AND"
                + " state = 'HELD'"
                + NOT_BEGUN,
            "route text, id text");
    List<@Nullable Object[]> values = new ArrayList<>();
    keys.forEach(key -> values.add(new @Nullable Object[] {key.route(), key.id()}));
    int returned = 0;
    for (boolean changed : bulk.change(connection, Bulk.Planned.ANEW, change, values)) {
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
                    // When it was sent last, held_until says.
                    + " SUM(CASE WHEN held_until < ? THEN 1 ELSE 0 END) AS overdue,"
                    + " MIN(CASE WHEN held_until < ? THEN next_at END) AS oldest FROM {message}"
                    + " WHERE state = 'HELD' AND tracking = 'FULL' AND deliver_at < ?"
                    + " AND next_at < ?"
                    + NOT_BEGUN
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
