// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.store.LoadingStore.Overdue;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The epoch, what is overdue, and the way back to PENDING. */
final class Recovery {
  static final int MAX_ROWS = 100_000;

  private static final String BEGUN = aHandling("", "");
  private static final String NOT_BEGUN = " AND NOT " + BEGUN;
  private static final String BEING_HANDLED =
      aHandling(
          " AND settled_at IS NULL AND handling_until > {now}",
          " AND s.settled_at IS NULL AND s.handling_until > {now}");

  /**
   * Until when the copy that counts may be held. If a message was moved, perhaps to an earlier
   * instant, the row also waits for the copy from before. The copy that counts is held for two
   * resolutions from when it was due or handed off: the wheel's and its route's. A reason says that
   * a consumer has put it back on hold.
   */
  private static final String COPY_HELD_UNTIL =
      "CASE WHEN generation > 1 AND reason IS NULL THEN LEAST(held_until, GREATEST(deliver_at,"
          + " updated_at) + "
          + DelayLimits.MAX_RESOLUTION.multipliedBy(2).toMillis()
          + ") ELSE held_until END";

  private final Sql sql;
  private final Bulk bulk;
  private final Progress progress;

  Recovery(Sql sql, Bulk bulk, Progress progress) {
    this.sql = sql;
    this.bulk = bulk;
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

  Optional<String> epoch(Connection connection) throws SQLException {
    return Jdbc.list(
            connection,
            sql.text("SELECT epoch FROM {epoch} WHERE only_row = 1"),
            row -> Optional.ofNullable(row.getString(1)))
        .stream()
        .flatMap(Optional::stream)
        .findFirst();
  }

  boolean replaceEpoch(Connection connection, Optional<String> expected, String epoch)
      throws SQLException {
    RowLimits.epoch(epoch);
    String text = "UPDATE {epoch} SET epoch = ?, updated_at = {now} WHERE only_row = 1 AND epoch";
    return expected.isPresent()
        ? Jdbc.update(connection, sql.text(text + " = ?"), epoch, expected.get()) > 0
        : Jdbc.update(connection, sql.text(text + " IS NULL"), epoch) > 0;
  }

  /** Two questions to the two sides of an index, of which one row each is read. */
  Optional<String> lostEpoch(Connection connection, String current) throws SQLException {
    Optional<String> before = heldEpoch(connection, "<", current);
    return before.isPresent() ? before : heldEpoch(connection, ">", current);
  }

  private Optional<String> heldEpoch(Connection connection, String side, String current)
      throws SQLException {
    return Jdbc.first(
        connection,
        sql.text(
            "SELECT epoch FROM {message} WHERE state = 'HELD' AND epoch "
                + side
                + " ? ORDER BY epoch LIMIT 1"),
        row -> row.getString(1),
        current);
  }

  int returnHeldOf(Connection connection, String epoch, int limit) throws SQLException {
    return returnToPending(connection, " AND epoch = ?", "", limit, epoch);
  }

  int returnOverdue(
      Connection connection, String route, Instant dueBefore, Instant heldBefore, int limit)
      throws SQLException {
    return returnToPending(
        connection,
        " AND route = ? AND deliver_at < ? AND tracking = 'FULL' AND " + COPY_HELD_UNTIL + " < ?",
        NOT_BEGUN,
        limit,
        route,
        Millis.ceiling(dueBefore),
        Millis.ceiling(heldBefore));
  }

  private int returnToPending(
      Connection connection,
      String condition,
      String unless,
      int limit,
      @Nullable Object... parameters)
      throws SQLException {
    RowLimits.limit(limit, MAX_ROWS);
    List<MessageKey> keys =
        Jdbc.list(
            connection,
            sql.text(
                "{plan-anew}SELECT route, id FROM {message} WHERE state = 'HELD'"
                    + condition
                    + unless
                    + " ORDER BY deliver_at, route, id LIMIT "
                    + limit
                    + "{skip-locked}"),
            MessageRows::key,
            parameters);
    if (keys.isEmpty()) {
      return 0;
    }
    RowChange change =
        sql.change(
            "UPDATE {message} SET state = 'PENDING', epoch = NULL, owner = NULL, lease_until = 0,"
                + " attempts = 0, updated_at = {now}{from} WHERE route = :route AND id = :id AND"
                + " state = 'HELD'"
                + unless,
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
                    // What was sent again has been held again.
                    + " SUM(CASE WHEN "
                    + COPY_HELD_UNTIL
                    + " < ? THEN 1 ELSE 0 END) AS overdue,"
                    + " MIN(CASE WHEN "
                    + COPY_HELD_UNTIL
                    + " < ? THEN deliver_at END) AS oldest FROM {message}"
                    + " WHERE state = 'HELD' AND tracking = 'FULL' AND deliver_at < ?"
                    + NOT_BEGUN
                    + " GROUP BY route HAVING MIN("
                    + COPY_HELD_UNTIL
                    + ") < ? ORDER BY route"),
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

  Map<String, Long> unended(Connection connection, Instant dueBefore) throws SQLException {
    Map<String, Long> counts = new TreeMap<>();
    Jdbc.list(
        connection,
        sql.text(
            "SELECT route, COUNT(*) AS unended FROM {message}"
                + " WHERE state = 'HELD' AND tracking = 'FULL' AND deliver_at < ? AND "
                + COPY_HELD_UNTIL
                + " < ? AND "
                + BEGUN
                + " AND NOT "
                + BEING_HANDLED
                + " GROUP BY route"),
        row -> counts.put(row.getString("route"), row.getLong("unended")),
        Millis.ceiling(dueBefore),
        Millis.ceiling(dueBefore));
    return counts;
  }
}
