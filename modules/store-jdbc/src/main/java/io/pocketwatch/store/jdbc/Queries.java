// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageState;
import io.pocketwatch.store.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads that change nothing. */
final class Queries {
  private static final Set<MessageState> FINISHED =
      Set.of(MessageState.SETTLED, MessageState.CANCELLED);

  private final Sql sql;
  private final Listing<StoredMessage> messages;
  private final Listing<MessageSummary> summaries;

  Queries(Sql sql) {
    this.sql = sql;
    this.messages = new Listing<>(sql, MessageRows.COLUMNS, MessageRows::map, each -> each);
    this.summaries =
        new Listing<>(
            sql, MessageRows.SUMMARY_COLUMNS, MessageRows::summary, MessageSummary::stored);
  }

  Optional<StoredMessage> find(Connection connection, MessageKey key) throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    return Jdbc.first(
        connection,
        sql.text("SELECT " + MessageRows.COLUMNS + " FROM {message} WHERE route = ? AND id = ?"),
        MessageRows::map,
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
    List<Object> parameters = new ArrayList<>();
    String where = where(query, parameters);
    return Jdbc.first(
            connection,
            sql.text("SELECT COUNT(*) FROM {message}" + where),
            row -> row.getLong(1),
            parameters.toArray())
        .orElse(0L);
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
      if (FINISHED.containsAll(query.states())) {
        where.append(" AND finished_at IS NOT NULL"); // true of them, and there is an index of it
      }
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
