// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageQuery.Cursor;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads that change nothing. */
final class Queries {
  private static final Set<MessageState> ALL = Set.of(MessageState.values());

  private final Sql sql;
  private final MessageListQuery<StoredMessage> messages;
  private final MessageListQuery<MessageSummary> summaries;

  Queries(Sql sql) {
    this.sql = sql;
    this.messages =
        new MessageListQuery<>(sql, MessageRows.COLUMNS, MessageRows::map, MessageQuery.Cursor::of);
    this.summaries =
        new MessageListQuery<>(
            sql,
            MessageRows.SUMMARY_COLUMNS,
            MessageRows::summary,
            each -> MessageQuery.Cursor.of(each.stored()));
  }

  Optional<StoredMessage> find(Connection connection, MessageKey key) throws SQLException {
    return find(connection, key, MessageRows.COLUMNS, MessageRows::map);
  }

  Optional<MessageSummary> summary(Connection connection, MessageKey key) throws SQLException {
    return find(connection, key, MessageRows.SUMMARY_COLUMNS, MessageRows::summary);
  }

  private <T> Optional<T> find(
      Connection connection, MessageKey key, String columns, Jdbc.RowMapper<T> mapper)
      throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    return Jdbc.first(
        connection,
        sql.text("SELECT " + columns + " FROM {message} WHERE route = ? AND id = ?"),
        mapper,
        key.route(),
        key.id());
  }

  List<StoredMessage> list(Connection connection, MessageQuery query) throws SQLException {
    return messages.page(connection, query);
  }

  List<MessageSummary> summaries(Connection connection, MessageQuery query) throws SQLException {
    return summaries.page(connection, query);
  }

  long count(Connection connection, MessageQuery query) throws SQLException {
    return count(connection, sql, query);
  }

  static long count(Connection connection, Sql sql, MessageQuery query) throws SQLException {
    List<Object> parameters = new ArrayList<>();
    String counts = union(connection, sql, query, "COUNT(*) AS n", parameters);
    if (counts.isEmpty()) {
      return 0;
    }
    String text = sql.text(steps(sql) + counts);
    return Jdbc.list(connection, text, row -> row.getLong(1), parameters.toArray()).stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /**
   * A query as one for each state, each of which has an index in the order of {@code deliver_at}.
   * Where the index of pending rows begins with their route, it is one per route for these.
   */
  static List<MessageQuery> parts(Connection connection, Sql sql, MessageQuery query)
      throws SQLException {
    return parts(
        connection,
        sql,
        query,
        one ->
            sql.dialect().stepsInOneStatement()
                ? pendingRoutes(connection, sql).stream().map(one::route).toList()
                : List.of(one));
  }

  /** The same for one page: of the routes with pending rows only those whose rows may be on it. */
  static List<MessageQuery> partsOfPage(Connection connection, Sql sql, MessageQuery query)
      throws SQLException {
    return query.reason() == null && sql.dialect().stepsInOneStatement()
        ? parts(connection, sql, query, one -> nearestRoutes(connection, sql, one))
        : parts(connection, sql, query);
  }

  /** Splits a query for the pending rows of all routes. */
  private interface PendingParts {
    List<MessageQuery> of(MessageQuery pending) throws SQLException;
  }

  private static List<MessageQuery> parts(
      Connection connection, Sql sql, MessageQuery query, PendingParts pending)
      throws SQLException {
    return query.overdue()
        ? overdueParts(connection, sql, query, pending)
        : partsByState(query, pending);
  }

  /** With the instant in place of a clock, which no index could be asked for. */
  private static List<MessageQuery> overdueParts(
      Connection connection, Sql sql, MessageQuery query, PendingParts pending)
      throws SQLException {
    Set<MessageState> states = EnumSet.of(MessageState.PENDING, MessageState.HELD);
    if (!query.states().isEmpty()) {
      states.retainAll(query.states());
    }
    if (states.isEmpty()) {
      return List.of();
    }
    Instant until = Instant.ofEpochMilli(overdueBefore(connection, sql));
    Instant asked = query.until();
    return partsByState(
        query
            .states(states.toArray(MessageState[]::new))
            .due(query.from(), asked != null && asked.isBefore(until) ? asked : until),
        pending);
  }

  /** The instant before which messages are overdue, in milliseconds. */
  static long overdueBefore(Connection connection, Sql sql) throws SQLException {
    return sql.millis(connection) - StoredMessage.OVERDUE_AFTER.toMillis();
  }

  private static List<MessageQuery> partsByState(MessageQuery query, PendingParts pending)
      throws SQLException {
    if (query.businessKey() != null) {
      return List.of(query);
    }
    List<MessageQuery> parts = new ArrayList<>();
    for (MessageState state : query.states().isEmpty() ? ALL : query.states()) {
      MessageQuery one = query.states(state);
      if (state == MessageState.PENDING && query.route() == null) {
        parts.addAll(pending.of(one));
      } else {
        parts.add(one);
      }
    }
    return parts;
  }

  /**
   * A query for each of the routes whose first row on the page is nearest, at most as many as the
   * page has rows. So many have one up to the last of them, and no row is on the page behind that.
   */
  private static List<MessageQuery> nearestRoutes(
      Connection connection, Sql sql, MessageQuery pending) throws SQLException {
    boolean back = pending.latestFirst();
    List<Object> parameters = new ArrayList<>();
    StringBuilder where = new StringBuilder(where(pending.route("step"), parameters));
    int route = where.indexOf("route = ?");
    where.replace(route, route + "route = ?".length(), "route = step.route");
    parameters.remove("step");
    Cursor after = pending.after();
    if (after != null) {
      long at = after.deliverAt().toEpochMilli();
      where.append(
          " AND deliver_at >= ? AND (deliver_at, route, id) > (?, ?, ?)"
              .replace(">", back ? "<" : ">"));
      parameters.addAll(List.of(at, at, after.route(), after.id()));
    }
    parameters.add(pending.limit());
    String direction = back ? " DESC" : "";
    String text =
        steps()
            + "SELECT step.route, near.deliver_at FROM step CROSS JOIN LATERAL"
            + " (SELECT deliver_at FROM {message}"
            + where
            + " ORDER BY deliver_at"
            + direction
            + " LIMIT 1) AS near ORDER BY near.deliver_at"
            + direction
            + ", step.route"
            + direction
            + " LIMIT ?";
    Instant[] last = new Instant[1];
    List<String> routes =
        Jdbc.list(
            connection,
            sql.text(text),
            row -> {
              last[0] = Jdbc.instant(row, "deliver_at");
              return row.getString("route");
            },
            parameters.toArray());
    MessageQuery near =
        routes.size() < pending.limit()
            ? pending
            : back
                ? pending.due(last[0], pending.until())
                : pending.due(pending.from(), last[0].plusMillis(1));
    return routes.stream().map(near::route).toList();
  }

  /** The same where the database can, and nothing elsewhere. */
  static String steps(Sql sql) {
    return sql.dialect().stepsInOneStatement() ? steps() : "";
  }

  /** As the beginning of a query: each route that has pending rows, and its first instant. */
  static String steps() {
    return "{plan-anew}WITH RECURSIVE step (route, first_at) AS ("
        + stepsThrough("deliver_at")
        + ") ";
  }

  /** The routes that have pending rows, found by one step in the index for each. */
  static List<String> pendingRoutes(Connection connection, Sql sql) throws SQLException {
    if (sql.dialect().stepsInOneStatement()) {
      return Jdbc.list(
          connection,
          sql.text(steps() + "SELECT route FROM step ORDER BY route"),
          row -> row.getString(1));
    }
    List<String> routes = new ArrayList<>();
    String route = routeBehind(connection, sql, "");
    while (!route.isEmpty()) {
      routes.add(route);
      route = routeBehind(connection, sql, route);
    }
    return routes;
  }

  /** MIN: for ORDER BY and LIMIT 1, MariaDB reads whatever is pending behind that place. */
  private static String routeBehind(Connection connection, Sql sql, String route)
      throws SQLException {
    String next =
        "SELECT COALESCE(MIN(route), '') FROM {message} WHERE state = 'PENDING' AND route > ?";
    return Jdbc.list(connection, sql.text(next), row -> row.getString(1), route).get(0);
  }

  /**
   * What a recursive query {@code step (route, first_at)} asks: each route that has pending rows,
   * and the first instant of it, by one step in an index of (route, column).
   */
  static String stepsThrough(String column) {
    String first =
        "(SELECT route, %1$s FROM {message} WHERE state = 'PENDING'%2$s ORDER BY route, %1$s LIMIT"
            + " 1)";
    return first.formatted(column, "")
        + " UNION ALL SELECT n.route, n.%s FROM step CROSS JOIN LATERAL ".formatted(column)
        + first.formatted(column, " AND route > step.route")
        + " AS n";
  }

  /**
   * A SELECT for each part in one statement, which sees all of them at the same time. To plan one
   * for each of a thousand routes would take half a second: where the database can, it steps
   * through the routes itself. Empty if there is no part.
   *
   * @param columns made of route and deliver_at
   */
  static String union(
      Connection connection, Sql sql, MessageQuery query, String columns, List<Object> parameters)
      throws SQLException {
    boolean steps = sql.dialect().stepsInOneStatement();
    List<String> texts = new ArrayList<>();
    for (MessageQuery part : parts(connection, sql, query, List::of)) {
      boolean allPending =
          steps && part.route() == null && part.states().equals(Set.of(MessageState.PENDING));
      String where = where(part, parameters);
      texts.add(
          "SELECT "
              + columns
              + (allPending && part.businessKey() == null
                  ? " FROM (SELECT m.route, m.deliver_at FROM step CROSS JOIN LATERAL"
                      + " (SELECT route, deliver_at FROM {message}"
                      + where
                      + " AND route = step.route) AS m) AS of_routes"
                  : " FROM {message}" + where));
    }
    return String.join(" UNION ALL ", texts);
  }

  static String where(MessageQuery query, List<Object> parameters) {
    StringBuilder where = new StringBuilder(" WHERE 1 = 1");
    equal(where, parameters, "route", query.route());
    if (!query.states().isEmpty()) {
      // Literals, not parameters: the planner then sees that a partial index will do.
      where.append(" AND state IN (");
      query.states().stream()
          .sorted()
          .forEach(state -> where.append("'").append(state.name()).append("', "));
      where.setLength(where.length() - 2);
      where.append(")");
    }
    equal(where, parameters, "business_key", query.businessKey());
    if (query.reason() != null) {
      where.append(" AND reason = ?");
      parameters.add(RowLimits.reason(query.reason()));
    }
    if (query.from() != null) {
      where.append(" AND deliver_at >= ?");
      parameters.add(Millis.ceiling(query.from()));
    }
    if (query.until() != null) {
      where.append(" AND deliver_at < ?");
      parameters.add(Millis.ceiling(query.until()));
    }
    if (query.overdue()) {
      where.append(" AND (state = 'PENDING' OR tracking = 'FULL')");
    }
    return where.toString();
  }

  private static void equal(
      StringBuilder where, List<Object> parameters, String column, @Nullable String text) {
    if (text != null && RowLimits.possible(text)) {
      where.append(" AND ").append(column).append(" = ?");
      parameters.add(text);
    } else if (text != null) {
      where.append(" AND 1 = 0"); // no row has it
    }
  }
}
