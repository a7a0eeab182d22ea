// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * How far each consumer of a route has come: one row each, written once per batch of settlements
 * and with them. A row that another process is writing is left to it. So progress may be a batch
 * behind the settlements, and is never ahead of those committed.
 */
final class Progress {
  private static final String OF = " FROM {progress} WHERE route = ? AND consumer = ?";

  /** The most settlements kept between two batches; beyond that progress only falls behind. */
  private static final int REMEMBERED = 1_000;

  private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

  private final Sql sql;
  private final LockedRows rows;

  /** Messages settled in users' transactions, which may not have been committed. */
  private final ConcurrentLinkedDeque<Settled> uncertain = new ConcurrentLinkedDeque<>();

  Progress(Sql sql, LockedRows rows) {
    this.sql = sql;
    this.rows = rows;
  }

  private record Settled(Handling handling, long deliverAt, long atNanos) {}

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

  /** Writes this progress, and that of users' transactions meanwhile. */
  void write(Connection connection, Reached reached) throws SQLException {
    addCommitted(connection, reached);
    writeAll(connection, reached);
  }

  /** Writes the progress of users' transactions meanwhile. */
  void addCommitted(Connection connection) throws SQLException {
    if (!uncertain.isEmpty()) {
      write(connection, new Reached());
    }
  }

  private void writeAll(Connection connection, Reached reached) throws SQLException {
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

  private void addCommitted(Connection connection, Reached reached) throws SQLException {
    List<Settled> asked = new ArrayList<>();
    for (Settled one = uncertain.poll(); one != null; one = uncertain.poll()) {
      asked.add(one);
    }
    Map<MessageKey, LockedRow> seen =
        rows.seen(connection, asked.stream().map(each -> each.handling.key()).toList());
    for (Settled one : asked) {
      LockedRow row = seen.get(one.handling.key());
      if (row != null && row.isSettledUnder(one.handling.token())) {
        reached.add(one.handling, one.deliverAt);
      } else if (row != null && System.nanoTime() - one.atNanos < PATIENCE_NANOS) {
        uncertain.add(one);
      }
    }
  }

  /** Notes a message that was settled in a user's transaction. */
  void note(Handling handling, long deliverAt) {
    uncertain.add(new Settled(handling, deliverAt, System.nanoTime()));
    if (uncertain.size() > REMEMBERED) {
      uncertain.poll();
    }
  }
}
