// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ask;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes what is due in batches, handles it, and deletes it in the same transaction. */
final class TablePollingEngine implements Engine {
  private static final Logger LOG = LoggerFactory.getLogger(TablePollingEngine.class);
  private static final int BATCH = 500;
  private static final long PAUSE_MS = 1_000;

  private static final String TABLE =
      """
      CREATE TABLE delayed_job (
        id      BIGINT      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        due     TIMESTAMPTZ NOT NULL,
        payload BYTEA       NOT NULL
      );
      CREATE INDEX delayed_job_due ON delayed_job (due);
      """;

  private static final String FILL =
      """
      INSERT INTO delayed_job (due, payload)
      SELECT now() + interval '2 days' + random() * interval '365 days',
        decode(repeat('00', 256), 'hex')
      FROM generate_series(1, %s)
      """;

  private final LaneDatabase database;
  private final Ledger ledger;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  TablePollingEngine(LaneDatabase database, Ledger ledger) throws SQLException {
    this.database = database;
    this.ledger = ledger;
    database.execute(TABLE);
  }

  @Override
  public void start() {
    timer.scheduleWithFixedDelay(this::poll, 0, PAUSE_MS, TimeUnit.MILLISECONDS);
  }

  private void poll() {
    try {
      while (take() == BATCH && !timer.isShutdown()) {
        // there may be more
      }
    } catch (SQLException e) { // thrown on, it would be the last look
      LOG.warn("The table could not be polled", e);
    }
  }

  private int take() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      List<Long> ids = new ArrayList<>();
      try (PreparedStatement select =
          connection.prepareStatement(
              "SELECT id, payload FROM delayed_job WHERE due <= clock_timestamp() ORDER BY due"
                  + " LIMIT ? FOR UPDATE SKIP LOCKED")) {
        select.setInt(1, BATCH);
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            ledger.arrived(Payload.number(rows.getBytes(2)));
            ids.add(rows.getLong(1));
          }
        }
      }
      try (PreparedStatement delete =
          connection.prepareStatement("DELETE FROM delayed_job WHERE id = ANY (?)")) {
        delete.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
        delete.executeUpdate();
      }
      connection.commit();
      return ids.size();
    }
  }

  @Override
  public void write(List<Ask> batch) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO delayed_job (due, payload) VALUES (?, ?)")) {
      connection.setAutoCommit(false);
      for (Ask ask : batch) {
        insert.setTimestamp(1, new Timestamp(ask.dueMillis()));
        insert.setBytes(2, ask.payload());
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
    }
  }

  @Override
  public void fill(long rows) throws SQLException {
    database.execute(FILL.formatted(rows));
  }

  @Override
  public void close() throws InterruptedException {
    timer.shutdown();
    timer.awaitTermination(10, TimeUnit.SECONDS);
  }
}
