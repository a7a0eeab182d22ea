// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.OverviewStore.Lateness;
import io.pocketwatch.store.OverviewStore.Rollup;
import io.pocketwatch.store.OverviewStore.Rollups;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The counts of events, made a minute at a time; a row per route and period. */
final class RollupRows {
  private static final long SLICE = Duration.ofMinutes(1).toMillis();
  private static final long PERIOD = Rollup.PERIOD.toMillis();
  private static final List<String> EVENTS = List.of("scheduled", "settled", "cancelled", "failed");

  private static final List<String> LATE =
      Stream.concat(
              Lateness.BOUNDS.stream().map(bound -> "late_" + bound.toMillis()),
              Stream.of("late_more"))
          .toList();

  private static final List<String> COUNTS = Stream.concat(EVENTS.stream(), LATE.stream()).toList();

  /** The column of {@link #LATE} for a row; null where no consumer began. */
  private static final String BUCKET = bucket("begun_at - deliver_at");

  private static final String FINISHED = " WHERE finished_at >= ? AND finished_at < ?";

  /** Of a route: how often each event, and each bucket of lateness, by its column. */
  private static final class Counted extends TreeMap<String, Map<String, Long>> {
    private static final long serialVersionUID = 1L;

    Void add(ResultSet row, String column) throws SQLException {
      computeIfAbsent(row.getString("route"), route -> new TreeMap<>())
          .merge(column, row.getLong("n"), Long::sum);
      return null;
    }
  }

  private final Sql sql;

  RollupRows(Sql sql) {
    this.sql = sql;
  }

  private static String bucket(String millis) {
    StringBuilder text = new StringBuilder("CASE WHEN begun_at IS NULL THEN NULL");
    for (int i = 0; i < Lateness.BOUNDS.size(); i++) {
      text.append(" WHEN %s <= %s THEN %s".formatted(millis, Lateness.BOUNDS.get(i).toMillis(), i));
    }
    return text + " ELSE " + Lateness.BOUNDS.size() + " END";
  }

  Instant count(Connection connection, Instant until) throws SQLException {
    long last = Millis.floor(until);
    // Older rows would be deleted at once.
    long earliest = (last - Rollup.KEPT.toMillis()) / PERIOD * PERIOD;
    long end = end(connection);
    long from = Math.max(end, earliest);
    if (from + SLICE > last) {
      return Instant.ofEpochMilli(end);
    }
    // Another call waits here, and then finds that the minute is counted.
    int mine =
        Jdbc.update(
            connection,
            sql.text("UPDATE {rollup-end} SET ends_at = ? WHERE ends_at = ?"),
            from + SLICE,
            end);
    if (mine == 0) {
      return Instant.ofEpochMilli(end(connection));
    }
    long period = from / PERIOD * PERIOD;
    for (Map.Entry<String, Map<String, Long>> route : counted(connection, from).entrySet()) {
      add(connection, period, route.getKey(), route.getValue());
    }
    Jdbc.update(
        connection,
        sql.text("DELETE FROM {rollup} WHERE period_at < ?"),
        period - Rollup.KEPT.toMillis());
    return Instant.ofEpochMilli(from + SLICE);
  }

  private long end(Connection connection) throws SQLException {
    return Jdbc.list(
            connection, sql.text("SELECT ends_at FROM {rollup-end}"), row -> row.getLong("ends_at"))
        .get(0);
  }

  private Counted counted(Connection connection, long from) throws SQLException {
    Counted counted = new Counted();
    long end = from + SLICE;
    Jdbc.list(
        connection,
        sql.text(
            "{plan-anew}SELECT route, COUNT(*) AS n FROM {message}"
                + " WHERE created_at >= ? AND created_at < ? AND tracking = 'FULL' GROUP BY route"),
        row -> counted.add(row, "scheduled"),
        from,
        end);
    Jdbc.list(
        connection,
        sql.text(
            "SELECT route, state, COUNT(*) AS n FROM {message}"
                + FINISHED
                + " AND state IN ('SETTLED', 'CANCELLED', 'FAILED') GROUP BY route, state"),
        row -> counted.add(row, row.getString("state").toLowerCase(Locale.ROOT)),
        from,
        end);
    Jdbc.list(
        connection,
        sql.text(
            "SELECT route, late, COUNT(*) AS n FROM (SELECT route, "
                + BUCKET
                + " AS late FROM {message}"
                + FINISHED
                + " AND state = 'SETTLED') begun WHERE late IS NOT NULL GROUP BY route, late"),
        row -> counted.add(row, LATE.get(row.getInt("late"))),
        from,
        end);
    return counted;
  }

  private void add(Connection connection, long period, String route, Map<String, Long> counts)
      throws SQLException {
    List<Object> values = new ArrayList<>(counts.values());
    Collections.addAll(values, period, route);
    int changed =
        Jdbc.update(
            connection,
            sql.text(
                "UPDATE {rollup} SET "
                    + counts.keySet().stream()
                        .map(column -> column + " = " + column + " + ?")
                        .collect(Collectors.joining(", "))
                    + " WHERE period_at = ? AND route = ?"),
            values.toArray());
    if (changed == 0) {
      insert(connection, period, route, counts);
    }
  }

  private void insert(Connection connection, long period, String route, Map<String, Long> counts)
      throws SQLException {
    List<Object> values = new ArrayList<>(List.of(period, route));
    COUNTS.forEach(column -> values.add(counts.getOrDefault(column, 0L)));
    Jdbc.update(
        connection,
        sql.text(
            "INSERT INTO {rollup} (period_at, route, %s) VALUES (?, ?%s)"
                .formatted(String.join(", ", COUNTS), ", ?".repeat(COUNTS.size()))),
        values.toArray());
  }

  Rollups read(
      Connection connection, Instant from, Instant until, Duration step, Set<String> routes)
      throws SQLException {
    long first = from.toEpochMilli();
    long width = step.toMillis();
    if (first % PERIOD != 0 || width < PERIOD || width % PERIOD != 0) {
      throw new IllegalArgumentException(
          "steps of %s from %s; allowed: multiples of %s".formatted(step, from, Rollup.PERIOD));
    }
    List<Object> parameters = new ArrayList<>(List.of(first, Millis.ceiling(until)));
    parameters.addAll(routes);
    String only =
        routes.isEmpty() ? "" : " AND route IN (?" + ", ?".repeat(routes.size() - 1) + ")";
    String sums =
        COUNTS.stream()
            .map(column -> "SUM(%1$s) AS %1$s".formatted(column))
            .collect(Collectors.joining(", "));
    // Numbers of ours and not parameters: a database takes two parameters for two expressions.
    String steps = "FLOOR((period_at - %s) / %s)".formatted(first, width);
    List<Rollup> rollups =
        Jdbc.list(
            connection,
            sql.text(
                "SELECT step, %s FROM (SELECT %s AS step, %s FROM {rollup}"
                        .formatted(sums, steps, String.join(", ", COUNTS))
                    + " WHERE period_at >= ? AND period_at < ?"
                    + only
                    + ") steps GROUP BY step ORDER BY step"),
            RollupRows::rollup,
            parameters.toArray());
    return new Rollups(Instant.ofEpochMilli(end(connection)), rollups);
  }

  private static Rollup rollup(ResultSet row) throws SQLException {
    List<Long> late = new ArrayList<>();
    for (String column : LATE) {
      late.add(row.getLong(column));
    }
    return new Rollup(
        row.getInt("step"),
        row.getLong("scheduled"),
        row.getLong("settled"),
        row.getLong("cancelled"),
        row.getLong("failed"),
        new Lateness(late));
  }
}
