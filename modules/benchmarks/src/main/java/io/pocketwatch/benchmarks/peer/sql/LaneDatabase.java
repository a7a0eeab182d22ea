// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A new database of one lane, so that no table carries dead rows of another; with a pool. */
public final class LaneDatabase implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final PostgresServer server;
  private final String name;
  private final HikariDataSource pool;

  private LaneDatabase(PostgresServer server, String name, HikariDataSource pool) {
    this.server = server;
    this.name = name;
    this.pool = pool;
  }

  /**
   * Creates it.
   *
   * @param connections how many the pool has, all open from the start
   */
  public static LaneDatabase create(PostgresServer server, int connections) throws SQLException {
    String name = "lane" + NUMBER.incrementAndGet();
    execute(server.maintenance(), "CREATE DATABASE " + name);
    HikariConfig config = new HikariConfig();
    config.setDataSource(server.database(name));
    config.setMaximumPoolSize(connections);
    config.setPoolName(name);
    return new LaneDatabase(server, name, new HikariDataSource(config));
  }

  public DataSource dataSource() {
    return pool;
  }

  /** Runs a statement, or several with semicolons between. */
  public void execute(String sql) throws SQLException {
    execute(pool, sql);
  }

  /** The number in the first column of the first row. */
  public long number(String query) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Leaves no work of what went before to what comes next. */
  public void settle() throws SQLException {
    execute(pool, "VACUUM ANALYZE");
    execute(pool, "CHECKPOINT");
  }

  private static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    pool.close();
    execute(server.maintenance(), "DROP DATABASE " + name + " WITH (FORCE)");
  }
}
