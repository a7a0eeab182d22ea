// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;

/** PostgreSQL 13 and later. */
final class PostgreSqlDialect implements Dialect {
  /** Serialization failure, deadlock. */
  private static final Set<String> PASSING = Set.of("40001", "40P01");

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final boolean usual;

  /**
   * @param usual whether its transactions are READ COMMITTED anyway, the server's default
   */
  PostgreSqlDialect(boolean usual) {
    this.usual = usual;
  }

  @Override
  public String folder() {
    return "postgresql";
  }

  @Override
  public String now() {
    // Not now(), which stands still while a transaction waits for a lock.
    return "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
  }

  @Override
  public String skipLocked() {
    return " FOR NO KEY UPDATE SKIP LOCKED";
  }

  @Override
  public String rowName() {
    // Where the row lies, which stays true while it is locked. By key the planner, before the
    // first ANALYZE, prefers to read all that is pending on the route.
    return "ctid::text";
  }

  @Override
  public String isRow() {
    // The key, too, for a table in partitions; hidden from the planner, who is to go by the place.
    return "ctid = :row_name::tid AND CONCAT(route, '/', id) = CONCAT(:route, '/', :id)";
  }

  @Override
  public String planAnew() {
    // A plan is kept from the tenth run on. One made while the table was small reads all of it,
    // again and again, until an ANALYZE. It counts until the transaction ends.
    return "SET LOCAL plan_cache_mode = force_custom_plan; ";
  }

  @Override
  public String planOnce() {
    // Else a small batch is planned anew each time, which costs as much as it does. A plan for a
    // small table would read all of it, were it not forbidden.
    return "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; ";
  }

  @Override
  public String commitUnsynced() {
    return "SET LOCAL synchronous_commit = off; ";
  }

  @Override
  public String commitSynced() {
    return "SET LOCAL synchronous_commit TO DEFAULT; ";
  }

  @Override
  public String oldestSnapshot() {
    // Their xmin, which every user sees; when others began is for members of pg_read_all_stats. A
    // standby is no session of any database. What autovacuum works on does not hold it back.
    return "SELECT oldest::text FROM (SELECT unnest(ARRAY[backend_xmin, backend_xid]) AS oldest"
        + " FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        + " AND COALESCE(datname, current_database()) = current_database()"
        + " AND usesysid IS NOT NULL" // no worker of the server's own, such as autovacuum
        + " UNION ALL SELECT transaction FROM pg_prepared_xacts WHERE database = current_database()"
        + " UNION ALL SELECT xmin FROM pg_replication_slots) AS holders"
        + " WHERE oldest IS NOT NULL ORDER BY age(oldest) DESC LIMIT 1";
  }

  @Override
  public String logPosition() {
    // On a server that was promoted, or that has recovered from a crash, the last place replayed
    // stays what it was. Functions that every user may call.
    return "SELECT system_identifier AS system,"
        + " ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint"
        + " AS timeline,"
        + " (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint AS at,"
        + " (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS began,"
        + " {now} AS at_millis,"
        + " floor(extract(epoch from pg_last_xact_replay_timestamp()) * 1000)::bigint"
        + " AS began_millis"
        + " FROM pg_control_system() WHERE pg_current_xact_id_if_assigned() IS NOT NULL"
        + " AND current_setting('synchronous_commit') <> 'off'";
  }

  @Override
  public boolean stepsInOneStatement() {
    return true;
  }

  @Override
  public boolean comparesRows() {
    return true;
  }

  @Override
  public boolean inTransaction(Connection connection) throws SQLException {
    // Not the driver's word: a pool's own test of a connection begins a transaction, too.
    boolean changed =
        Jdbc.list(
                connection,
                "SELECT pg_current_xact_id_if_assigned() IS NOT NULL",
                row -> row.getBoolean(1))
            .contains(true);
    if (!changed && !usual) {
      connection.rollback(); // the isolation is set before the first query
    }
    return changed;
  }

  @Override
  public void beginReadCommitted(Connection connection) throws SQLException {
    if (!usual) { // a round trip more
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      }
    }
  }

  @Override
  public void limitLockWait(Connection connection, Duration most) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = " + most.toMillis());
    }
  }

  @Override
  public boolean lockedOut(SQLException failure) {
    return LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
  }

  @Override
  public boolean passing(SQLException failure) {
    String state = failure.getSQLState();
    return state != null && PASSING.contains(state);
  }

  @Override
  public Bulk bulk(Sql sql) {
    return new ArrayBulk(sql);
  }
}
