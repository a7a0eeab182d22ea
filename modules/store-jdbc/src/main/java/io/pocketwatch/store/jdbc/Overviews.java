// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Activity;
import io.pocketwatch.store.OverviewStore.DueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.OverviewStore.ReasonCount;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Counts over many rows, each from an index alone where the database can. */
final class Overviews {
  private static final int MOST_STEPS = 10_000;
  private static final int MOST_REASONS = 1_000;

  /** Of MySQL and MariaDB: the user has no PROCESS privilege. */
  private static final String ACCESS_DENIED = "42000";

  /** One SELECT per way to a row: each then has an index that holds all it asks for. */
  private static final String COUNTS =
      "SELECT route, 'PENDING' AS state, COUNT(*) AS n FROM {message} WHERE state = 'PENDING'"
          + " GROUP BY route"
          + " UNION ALL SELECT route, 'HELD' AS state, COUNT(*) AS n FROM {message}"
          + " WHERE state = 'HELD' GROUP BY route"
          + " UNION ALL SELECT route, state, COUNT(*) AS n FROM {message}"
          + " WHERE state IN ('FAILED', 'PARKED', 'SETTLED', 'CANCELLED') GROUP BY route, state";

  private static final String OF_STEP =
      " FROM {message} WHERE state = 'PENDING' AND route = step.route AND deliver_at < ?";

  /** Deferred by a consumer, with a next try that is not overdue. */
  private static final String PUT_OFF = "next_queue IS NOT NULL AND next_at >= ?";

  /** By a consumer. Those are the first of their route, or nearly. */
  private static final String HANDLED = "(begun_at IS NOT NULL AND lease_until > {now})";

  /** Where an index begins with the route: what waits is counted from it alone. */
  private static final String WAITING_BY_STEPS =
      "SELECT route, late.n AS waiting, put_off, put_off_at, (SELECT deliver_at"
          + OF_STEP
          + " AND (next_queue IS NULL OR next_at < ?) AND NOT "
          + HANDLED
          + " ORDER BY deliver_at LIMIT 1) AS unsent_at,"
          + " handled.n AS handled, handled.n AS sent, handled.first_at AS sent_at"
          + " FROM step CROSS JOIN LATERAL (SELECT COUNT(*) AS n, COUNT(put_off_at) AS put_off,"
          + " MIN(put_off_at) AS put_off_at FROM (SELECT CASE WHEN "
          + PUT_OFF
          + " THEN deliver_at END AS put_off_at"
          + OF_STEP
          + ") AS each) AS late"
          + " CROSS JOIN LATERAL (SELECT COUNT(*) AS n, MIN(next_at) AS first_at"
          + " FROM (SELECT next_queue, next_at, begun_at, lease_until"
          + OF_STEP
          + " ORDER BY deliver_at LIMIT 10000) AS earliest WHERE "
          + HANDLED
          + " AND (next_queue IS NULL OR next_at < ?)) AS handled WHERE step.first_at < ?";

  /** Where an index begins with the state, and then the instant. */
  private static final String WAITING =
      "SELECT route, COUNT(*) AS waiting, COUNT(put_off_at) AS put_off, MIN(put_off_at) AS"
          + " put_off_at, MIN(CASE WHEN put_off_at IS NULL AND handled_at IS NULL THEN deliver_at"
          + " END) AS unsent_at, COUNT(handled_at) AS handled, COUNT(handled_at) AS sent,"
          + " MIN(handled_at) AS sent_at FROM (SELECT route, deliver_at, CASE WHEN "
          + PUT_OFF
          + " THEN deliver_at END AS put_off_at, CASE WHEN "
          + HANDLED
          + " AND (next_queue IS NULL OR next_at < ?) THEN next_at END AS handled_at FROM {message}"
          + " WHERE state = 'PENDING' AND deliver_at < ?) late GROUP BY route";

  /** A deferred message is late since its next try, not since its first instant. */
  private static final String SENT =
      " UNION ALL SELECT route, COUNT(CASE WHEN next_at >= ? THEN 1 END) AS waiting,"
          + " COUNT(CASE WHEN next_at >= ? THEN 1 END) AS put_off,"
          + " MIN(CASE WHEN next_at >= ? THEN deliver_at END) AS put_off_at,"
          + " NULL AS unsent_at, 0 AS handled, COUNT(CASE WHEN next_at < ? THEN 1 END) AS sent,"
          + " MIN(CASE WHEN next_at < ? THEN next_at END) AS sent_at FROM {message}"
          + " WHERE state = 'HELD' AND deliver_at < ? AND tracking = 'FULL' GROUP BY route";

  /** Rounded, so that even a backlog of a million is some ten thousand groups. */
  private static final String ROUNDED =
      "CASE WHEN late < 10000 THEN GREATEST(late, -10000)"
          + " WHEN late < 1000000 THEN FLOOR(late / 100) * 100"
          + " WHEN late < 86400000 THEN FLOOR(late / 10000) * 10000"
          + " ELSE FLOOR(late / 3600000) * 3600000 END";

  private static final MessageState[] NOT_CANCELLED =
      EnumSet.complementOf(EnumSet.of(MessageState.CANCELLED)).toArray(MessageState[]::new);

  private final Sql sql;

  Overviews(Sql sql) {
    this.sql = sql;
  }

  Map<String, Map<MessageState, Long>> countsByState(Connection connection) throws SQLException {
    Map<String, Map<MessageState, Long>> counts = new TreeMap<>();
    Jdbc.list(
        connection,
        sql.text(COUNTS),
        row ->
            counts
                .computeIfAbsent(row.getString("route"), route -> new EnumMap<>(MessageState.class))
                .merge(MessageState.valueOf(row.getString("state")), row.getLong("n"), Long::sum));
    return counts;
  }

  List<DueCount> dueCounts(Connection connection, Instant from, Instant until, Duration each)
      throws SQLException {
    long first = Millis.ceiling(from);
    long end = Millis.ceiling(until);
    long width = RowLimits.millis(each);
    if (width < 1 || (end - first) / width > MOST_STEPS) {
      throw new IllegalArgumentException(
          "step %s from %s until %s; allowed: at least 1 ms, at most %s steps"
              .formatted(each, from, until, MOST_STEPS));
    }
    // Numbers of ours and not parameters: a database takes two parameters for two expressions.
    String step = "FLOOR((deliver_at - %s) / %s)".formatted(first, width);
    MessageQuery waiting =
        MessageQuery.all().states(MessageState.PENDING, MessageState.HELD).due(from, until);
    List<Object> parameters = new ArrayList<>();
    String rows =
        Queries.union(connection, sql, waiting, "route, " + step + " AS step", parameters);
    return Jdbc.list(
        connection,
        sql.text(
            Queries.steps(sql)
                + "SELECT route, step, COUNT(*) AS n FROM ("
                + rows
                + ") steps GROUP BY route, step ORDER BY route, step"),
        row -> new DueCount(row.getString("route"), row.getInt("step"), row.getLong("n")),
        parameters.toArray());
  }

  List<OverdueCount> overdueCounts(Connection connection) throws SQLException {
    long before = Queries.overdueBefore(connection, sql);
    boolean steps = sql.dialect().stepsInOneStatement();
    String waiting = steps ? Queries.steps() + WAITING_BY_STEPS : WAITING;
    Map<String, OverdueCount> routes = new TreeMap<>();
    Jdbc.list(
        connection,
        sql.text(waiting + SENT),
        row -> routes.merge(row.getString("route"), overdue(row), Overviews::both),
        Collections.nCopies(steps ? 13 : 9, before).toArray());
    return List.copyOf(routes.values());
  }

  Optional<String> oldestSnapshot(Connection connection) throws SQLException {
    String text = sql.dialect().oldestSnapshot();
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Jdbc.first(connection, text, row -> row.getString(1));
    } catch (SQLException e) {
      if (ACCESS_DENIED.equals(e.getSQLState())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static OverdueCount overdue(ResultSet row) throws SQLException {
    long putOff = row.getLong("put_off");
    long handled = row.getLong("handled");
    return new OverdueCount(
        row.getString("route"),
        Map.of(
            Phase.DUE, part(row.getLong("waiting") - putOff - handled, row, "unsent_at"),
            Phase.SENT, part(row.getLong("sent") - handled, row, "sent_at"),
            Phase.BEING_HANDLED, part(handled, row, "sent_at"),
            Phase.RETRYING, part(putOff, row, "put_off_at")));
  }

  private static Part part(long count, ResultSet row, String oldest) throws SQLException {
    return count > 0 ? new Part(count, Jdbc.instantOrNull(row, oldest)) : Part.NONE;
  }

  private static OverdueCount both(OverdueCount one, OverdueCount other) {
    Map<Phase, Part> parts = new EnumMap<>(one.phases());
    other.phases().forEach((phase, part) -> parts.merge(phase, part, Part::plus));
    return new OverdueCount(one.route(), parts);
  }

  List<ReasonCount> reasons(Connection connection, int limit) throws SQLException {
    RowLimits.limit(limit, MOST_REASONS);
    return Jdbc.list(
            connection,
            sql.text(
                "SELECT route, state, reason, COUNT(*) AS n, MIN(deliver_at) AS earliest,"
                    + " MAX(deliver_at) AS latest FROM {message}"
                    + " WHERE state IN ('FAILED', 'PARKED') GROUP BY route, state, reason"
                    + " ORDER BY n DESC LIMIT ?"),
            row ->
                new ReasonCount(
                    row.getString("route"),
                    MessageState.valueOf(row.getString("state")),
                    row.getString("reason"),
                    row.getLong("n"),
                    Jdbc.instant(row, "earliest"),
                    Jdbc.instant(row, "latest")),
            limit)
        .stream()
        .sorted(
            Comparator.comparing(ReasonCount::count, Comparator.reverseOrder())
                .thenComparing(ReasonCount::route)
                .thenComparing(each -> String.valueOf(each.reason())))
        .toList();
  }

  Activity activity(Connection connection, Instant from, Instant until) throws SQLException {
    long first = Millis.ceiling(from);
    long end = Millis.ceiling(until);
    TreeMap<Long, Long> lateness = new TreeMap<>();
    String settled = " WHERE finished_at >= ? AND finished_at < ? AND state = 'SETTLED'";
    Jdbc.list(
        connection,
        sql.text(
            "SELECT rounded, COUNT(*) AS n FROM (SELECT "
                + ROUNDED
                + " AS rounded FROM (SELECT begun_at - deliver_at AS late FROM {message}"
                + settled
                + ") settled) late_groups GROUP BY rounded"),
        row -> lateness.merge(row.getLong("rounded"), row.getLong("n"), Long::sum),
        first,
        end);
    MessageQuery due = MessageQuery.all().due(from, until).states(NOT_CANCELLED);
    return new Activity(
        scheduled(connection, first, end), Queries.count(connection, sql, due), lateness);
  }

  private long scheduled(Connection connection, long first, long end) throws SQLException {
    return Jdbc.first(
            connection,
            sql.text("SELECT COUNT(*) FROM {message} WHERE created_at >= ? AND created_at < ?"),
            row -> row.getLong(1),
            first,
            end)
        .orElse(0L);
  }
}
