// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.Found;
import io.pocketwatch.store.OverviewStore.SearchPlace;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for a part of a text in indexes alone: that of the keys, and that of the business keys.
 * No index finds parts, so each call reads some thousand entries, and returns where it ended.
 */
final class Search {
  private static final int MOST_FOUND = 1_000;

  /** The entries read by a call, which takes PostgreSQL a few milliseconds. */
  private static final int ENTRIES = 20_000;

  private static final String HAS_PART = " AND POSITION(LOWER(?) IN LOWER(%s)) > 0";

  private final Sql sql;

  Search(Sql sql) {
    this.sql = sql;
  }

  Found look(
      Connection connection,
      String part,
      @Nullable String route,
      @Nullable SearchPlace after,
      int limit)
      throws SQLException {
    RowLimits.limit(limit, MOST_FOUND);
    if (!RowLimits.possible(part)) {
      return new Found(List.of(), List.of(), null);
    }
    if (after != null && after.route() == null) {
      return businessKeys(connection, part, after.text(), limit);
    }
    String from = after == null || after.route() == null ? "" : after.route();
    return ids(
        connection,
        part,
        route,
        new MessageKey(route == null ? from : route, after == null ? "" : after.text()),
        limit);
  }

  private Found ids(
      Connection connection, String part, @Nullable String route, MessageKey after, int limit)
      throws SQLException {
    List<Object> parameters = new ArrayList<>();
    String where = " FROM {message} WHERE " + side(">", route, after, parameters);
    List<MessageKey> end = keys(connection, where + page(), parameters);
    if (!end.isEmpty()) {
      where += " AND " + side("<=", route, end.get(0), parameters);
    }
    parameters.add(part);
    parameters.add(limit);
    List<MessageKey> found =
        keys(
            connection,
            where + HAS_PART.formatted("id") + " ORDER BY route, id LIMIT ?",
            parameters);
    MessageKey last =
        found.size() == limit ? found.get(limit - 1) : end.isEmpty() ? null : end.get(0);
    return new Found(
        found,
        List.of(),
        last == null ? new SearchPlace(null, "") : new SearchPlace(last.route(), last.id()));
  }

  /** The condition for one side of a key, in a form for which an index can be used. */
  private String side(
      String than, @Nullable String route, MessageKey key, List<Object> parameters) {
    parameters.add(key.route());
    if (route != null) {
      parameters.add(key.id());
      return "route = ? AND id " + than + " ?";
    }
    if (!sql.dialect().comparesRows()) {
      parameters.add(key.route());
    }
    parameters.add(key.id());
    return sql.dialect().comparesRows()
        ? "(route, id) " + than + " (?, ?)"
        : than.equals(">")
            ? "route >= ? AND (route > ? OR id > ?)"
            : "route <= ? AND (route < ? OR id <= ?)";
  }

  private static String page() {
    return " ORDER BY route, id LIMIT 1 OFFSET " + (ENTRIES - 1);
  }

  private List<MessageKey> keys(Connection connection, String from, List<Object> parameters)
      throws SQLException {
    return Jdbc.list(
        connection,
        sql.text("{plan-anew}SELECT route, id" + from),
        row -> new MessageKey(row.getString("route"), row.getString("id")),
        parameters.toArray());
  }

  private Found businessKeys(Connection connection, String part, String after, int limit)
      throws SQLException {
    String where = " FROM {message} WHERE business_key IS NOT NULL AND business_key > ?";
    List<String> end =
        texts(
            connection,
            "SELECT business_key"
                + where
                + " ORDER BY business_key LIMIT 1 OFFSET "
                + (ENTRIES - 1),
            List.of(after));
    List<Object> parameters = new ArrayList<>(List.of(after));
    if (!end.isEmpty()) {
      where += " AND business_key <= ?";
      parameters.add(end.get(0));
    }
    parameters.add(part);
    parameters.add(limit);
    List<String> found =
        texts(
            connection,
            "SELECT DISTINCT business_key"
                + where
                + HAS_PART.formatted("business_key")
                + " ORDER BY business_key LIMIT ?",
            parameters);
    String last = found.size() == limit ? found.get(limit - 1) : end.isEmpty() ? null : end.get(0);
    return new Found(List.of(), found, last == null ? null : new SearchPlace(null, last));
  }

  private List<String> texts(Connection connection, String select, List<Object> parameters)
      throws SQLException {
    return Jdbc.list(
        connection,
        sql.text("{plan-anew}" + select),
        row -> row.getString(1),
        parameters.toArray());
  }
}
