// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The handler's own table, beside the store's: its key allows one effect per message. */
final class Effects implements Work {
  private final DataSource dataSource;
  private final JdbcDelayStore store;
  private final AtomicInteger second = new AtomicInteger();

  Effects(DataSource dataSource, JdbcDelayStore store) throws SQLException {
    this.dataSource = dataSource;
    this.store = store;
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS effect (message VARCHAR(100) PRIMARY KEY,"
              + " deliver_at BIGINT NOT NULL, handled_at BIGINT NOT NULL)");
    }
  }

  /**
   * An effect.
   *
   * @param deliverAt as its copy said
   * @param handledAt on the store's clock, before anything was written
   */
  record Effect(Instant deliverAt, Instant handledAt) {
    long latenessMillis() {
      return handledAt.toEpochMilli() - deliverAt.toEpochMilli();
    }
  }

  @Override
  public void handle(String id, GuardedDelivery delivery) throws SQLException {
    Instant now = store.now();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effect VALUES (?, ?, ?)")) {
        // First, so that the unique key has nothing to do where the settling is right.
        delivery.settleIn(connection);
        insert.setString(1, id);
        insert.setLong(2, delivery.delayed().orElseThrow().deliverAt().toEpochMilli());
        insert.setLong(3, now.toEpochMilli());
        insert.executeUpdate();
        connection.commit();
      } catch (SQLException e) {
        if ("23505".equals(e.getSQLState())) {
          second.incrementAndGet();
        }
        connection.rollback();
        throw e;
      }
    }
  }

  /** Effects that only the key stopped; none, where settling is right. */
  int second() {
    return second.get();
  }

  int count() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement query = connection.createStatement();
        ResultSet row = query.executeQuery("SELECT COUNT(*) FROM effect")) {
      row.next();
      return row.getInt(1);
    }
  }

  Map<String, Effect> all() throws SQLException {
    Map<String, Effect> effects = new HashMap<>();
    try (Connection connection = dataSource.getConnection();
        Statement query = connection.createStatement();
        ResultSet rows = query.executeQuery("SELECT * FROM effect")) {
      while (rows.next()) {
        effects.put(
            rows.getString(1),
            new Effect(
                Instant.ofEpochMilli(rows.getLong(2)), Instant.ofEpochMilli(rows.getLong(3))));
      }
    }
    return effects;
  }
}
