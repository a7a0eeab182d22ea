// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.SettlingStore.Handling;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far each consumer of a route has come: one row each, written once per batch of settlements
 * and with them. A row that another process is writing is left to it. So progress may be a batch
 * behind the settlements, and is never ahead of those committed.
 */
final class Progress {
  private static final String OF = " FROM {progress} WHERE route = ? AND consumer = ?";

  private final Sql sql;

  Progress(Sql sql) {
    this.sql = sql;
  }

  /** Sorted, so that two processes that write several rows cannot deadlock. */
  static final class Reached extends TreeMap<String, Map<String, Long>> {
    private static final long serialVersionUID = 1L;

    void add(Handling handling, long deliverAt) {
      computeIfAbsent(handling.key().route(), route -> new TreeMap<>())
          .merge(handling.consumer(), deliverAt, Math::max);
    }
  }

  List<ConsumerProgress> of(Connection connection, String route) throws SQLException {
    return Jdbc.list(
        connection,
        sql.text(
            "SELECT consumer, settled_at, due_up_to FROM {progress} WHERE route = ?"
                + " ORDER BY consumer"),
        row ->
            new ConsumerProgress(
                row.getString("consumer"),
                Jdbc.instant(row, "settled_at"),
                Jdbc.instant(row, "due_up_to")),
        route);
  }

  /** Deletes rows of consumers that settled nothing for as long as finished messages are kept. */
  void forget(Connection connection, long settledBy) throws SQLException {
    Jdbc.update(connection, sql.text("DELETE FROM {progress} WHERE settled_at <= ?"), settledBy);
  }

  void write(Connection connection, Reached reached) throws SQLException {
    for (Map.Entry<String, Map<String, Long>> route : reached.entrySet()) {
      for (Map.Entry<String, Long> consumer : route.getValue().entrySet()) {
        write(connection, route.getKey(), consumer.getKey(), consumer.getValue());
      }
    }
  }

  private void write(Connection connection, String route, String consumer, long dueUpTo)
      throws SQLException {
    String lock = sql.text("SELECT consumer" + OF + "{key-skip-locked}");
    if (found(connection, lock, route, consumer)) {
      Jdbc.update(
          connection,
          sql.text(
              "UPDATE {progress} SET settled_at = {now}, due_up_to = GREATEST(due_up_to, ?)"
                  + " WHERE route = ? AND consumer = ?"),
          dueUpTo,
          route,
          consumer);
    } else if (!found(connection, sql.text("SELECT consumer" + OF), route, consumer)) {
      insert(connection, route, consumer, dueUpTo);
    }
  }

  private static boolean found(Connection connection, String text, String route, String consumer)
      throws SQLException {
    return Jdbc.first(connection, text, row -> row.getString(1), route, consumer).isPresent();
  }

  private void insert(Connection connection, String route, String consumer, long dueUpTo)
      throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      Jdbc.update(
          connection,
          sql.text(
              "INSERT INTO {progress} (route, consumer, settled_at, due_up_to)"
                  + " VALUES (?, ?, {now}, ?)"),
          route,
          consumer,
          dueUpTo);
    } catch (SQLException e) {
      if (!String.valueOf(e.getSQLState()).startsWith("23")) {
        throw e;
      }
      connection.rollback(before); // another process was first
    }
  }
}
