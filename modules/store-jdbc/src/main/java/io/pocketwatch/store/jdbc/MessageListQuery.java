// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageQuery.Cursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Pages of messages, by a query for each of its {@link Queries#parts}. In one query, a database
 * would read all the rows of other states before the page.
 *
 * @param columns the columns to read
 * @param mapper makes an object of it
 * @param place the place of such an object in the order
 */
record MessageListQuery<T>(
    Sql sql, String columns, Jdbc.RowMapper<T> mapper, Function<T, Cursor> place) {
  List<T> page(Connection connection, MessageQuery query) throws SQLException {
    return page(connection, query, "");
  }

  /**
   * @param and one more condition
   */
  List<T> page(Connection connection, MessageQuery query, String and, Object... parameters)
      throws SQLException {
    List<MessageQuery> parts =
        and.isEmpty()
            ? Queries.partsOfPage(connection, sql, query)
            : Queries.parts(connection, sql, query);
    List<T> found = new ArrayList<>();
    for (MessageQuery part : parts) {
      found.addAll(select(connection, part, and, parameters));
      if (parts.size() > 1) {
        found.sort(Comparator.comparing(place, query.order()));
      }
      if (found.size() > query.limit()) { // or the pages of all parts would be in memory
        found.subList(query.limit(), found.size()).clear();
      }
    }
    return found;
  }

  private List<T> select(Connection connection, MessageQuery query, String and, Object... further)
      throws SQLException {
    List<Object> parameters = new ArrayList<>();
    StringBuilder where = new StringBuilder(Queries.where(query, parameters)).append(and);
    parameters.addAll(Arrays.asList(further));
    String beyond = query.latestFirst() ? "<" : ">";
    Cursor after = query.after();
    if (after != null) {
      long at = after.deliverAt().toEpochMilli();
      if (sql.dialect().comparesRows()) {
        where.append(" AND (deliver_at, route, id) > (?, ?, ?)".replace(">", beyond));
        parameters.addAll(List.of(at, after.route(), after.id()));
      } else {
        where.append(
            " AND deliver_at >= ? AND (deliver_at > ? OR route > ? OR (route = ? AND id > ?))"
                .replace(">", beyond));
        parameters.addAll(List.of(at, at, after.route(), after.route(), after.id()));
      }
    }
    parameters.add(query.limit());
    String order =
        query.latestFirst() ? "deliver_at DESC, route DESC, id DESC" : "deliver_at, route, id";
    String text =
        "SELECT " + columns + " FROM {message}" + where + " ORDER BY " + order + " LIMIT ?";
    return Jdbc.list(connection, sql.text(text), mapper, parameters.toArray());
  }
}
