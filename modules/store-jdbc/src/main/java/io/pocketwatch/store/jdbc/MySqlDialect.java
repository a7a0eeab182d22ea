// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** MySQL 8 and MariaDB 10.6, and later. */
final class MySqlDialect implements Dialect {
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  /** "Transaction characteristics can't be changed while a transaction is in progress". */
  private static final int TRANSACTION_IN_PROGRESS = 1568;

  /** Lock wait time-out, deadlock, "record has changed since last read". */
  private static final Set<Integer> PASSING = Set.of(LOCK_WAIT_TIMEOUT, 1213, 1020);

  @Override
  public void requireSettings(Connection connection) throws SQLException {
    Map<String, String> settings = new HashMap<>();
    Jdbc.list(
        connection,
        "SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'sql_mode')",
        row -> settings.put(row.getString(1), row.getString(2)));
    requireSettings(settings);
  }

  static void requireSettings(Map<String, String> settings) {
    if ("ON".equals(settings.get("log_bin")) && "STATEMENT".equals(settings.get("binlog_format"))) {
      throw new StoreException(
          "the database writes its binary log by statement, and so it refuses every change at READ"
              + " COMMITTED: set binlog_format to ROW or MIXED");
    }
    if (List.of(settings.getOrDefault("sql_mode", "").split(",")).contains("ORACLE")) {
      throw new StoreException(
          "the database's sql_mode is ORACLE, in which our statements mean something else: take it"
              + " out of sql_mode, or add sessionVariables=sql_mode=… to the address");
    }
  }

  @Override
  public String folder() {
    return "mysql";
  }

  @Override
  public String now() {
    // In UTC: UNIX_TIMESTAMP would go through the session's time zone, which has an hour twice.
    return "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)";
  }

  @Override
  public String skipLocked() {
    return " FOR UPDATE SKIP LOCKED";
  }

  @Override
  public String currentRead() {
    return " FOR UPDATE";
  }

  @Override
  public String oldestSnapshot() {
    return "SELECT CAST(trx_started AS CHAR) FROM information_schema.innodb_trx"
        + " WHERE trx_mysql_thread_id <> CONNECTION_ID() ORDER BY trx_started LIMIT 1";
  }

  @Override
  public boolean inTransaction(Connection connection) throws SQLException {
    try {
      beginReadCommitted(connection);
      return false;
    } catch (SQLException e) {
      if (hasCode(e, Set.of(TRANSACTION_IN_PROGRESS))) {
        return true;
      }
      throw e;
    }
  }

  @Override
  public void beginReadCommitted(Connection connection) throws SQLException {
    // For the next transaction only, so a pool gets its connection back as it was. The default,
    // REPEATABLE READ, locks gaps, and then one loader's claim blocks everybody's inserts.
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
  }

  @Override
  public void limitLockWait(Connection connection, Duration most) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SET @pocketwatch_lock_wait = @@innodb_lock_wait_timeout, innodb_lock_wait_timeout = "
              + Math.max(1, most.toSeconds()));
    }
  }

  @Override
  public void restoreLockWait(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET innodb_lock_wait_timeout = @pocketwatch_lock_wait");
    }
  }

  @Override
  public boolean lockedOut(SQLException failure) {
    return hasCode(failure, Set.of(LOCK_WAIT_TIMEOUT));
  }

  @Override
  public boolean passing(SQLException failure) {
    return hasCode(failure, PASSING);
  }

  private static boolean hasCode(SQLException failure, Set<Integer> codes) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof SQLException sql && codes.contains(sql.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Bulk bulk(Sql sql) {
    return new MySqlBulk(sql);
  }
}
