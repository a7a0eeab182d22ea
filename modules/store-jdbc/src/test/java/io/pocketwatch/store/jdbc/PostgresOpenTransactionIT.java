// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** 20,000 rows have gone while somebody's transaction stayed open, so vacuum leaves all of them. */
class PostgresOpenTransactionIT {
  private static final String ROUTE = "orders";
  private static final int GONE = 20_000;

  /** A look needs some; to read what is gone takes hundreds at least. */
  private static final long FEW = 40;

  private final Sql sql = new Sql(new Tables(Tables.DEFAULT_PREFIX), new PostgreSqlDialect(true));
  private TestDatabase database;
  private HikariDataSource pool;
  private Connection open;
  private Connection connection;
  private Claims claims;

  @BeforeEach
  void fill() throws SQLException {
    database = TestDatabases.postgresql();
    pool = JdbcStoreIT.pool(database.url());
    JdbcSchema.create(pool);
    open = pool.getConnection();
    open.setAutoCommit(false);
    open.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    execute(open, "SELECT COUNT(*) FROM pocketwatch_message");
    connection = pool.getConnection();
    execute(
        connection,
        """
        INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body,
          deliver_at, first_deliver_at, next_at, tracking, state, created_at, updated_at)
        SELECT '%s', 'm' || n, '', 'q', '\\x0000', '\\x7b7d', n, n, n, 'FULL', 'PENDING', n, n
        FROM generate_series(1, %s) n
        """
            .formatted(ROUTE, GONE));
    execute(connection, "DELETE FROM pocketwatch_message");
    execute(connection, "VACUUM ANALYZE pocketwatch_message");
    connection.setAutoCommit(false);
    claims = new Claims(sql, sql.dialect().bulk(sql), new LowerBounds(System::nanoTime));
  }

  @AfterEach
  void drop() throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);
    connection.close();
    open.rollback();
    open.setAutoCommit(true);
    open.close();
    pool.close();
    database.close();
  }

  @Test
  void a_look_for_what_is_due_does_not_read_what_has_gone() throws SQLException {
    assertThat(blocks(() -> claim())).as("without a bound").isGreaterThan(10 * FEW);
    routesDue(Set.of(ROUTE));
    assertThat(blocks(() -> routesDue(null))).as("in full").isGreaterThan(10 * FEW);

    assertThat(blocks(() -> routesDue(Set.of(ROUTE)))).as("a look").isLessThan(FEW);
    assertThat(blocks(() -> claim())).as("a claim").isLessThan(FEW);
  }

  @Test
  void a_loader_that_was_just_started_reads_it_once() throws SQLException {
    assertThat(blocks(() -> routesDue(Set.of(ROUTE)))).isGreaterThan(10 * FEW);
    assertThat(blocks(() -> routesDue(Set.of(ROUTE)))).isLessThan(FEW);
  }

  /** What a handler holds for hours has begun before what others settle meanwhile. */
  @Test
  void what_a_consumer_handles_for_long_does_not_hold_back_the_bound() throws SQLException {
    execute(
        connection,
        """
        INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body,
          deliver_at, first_deliver_at, next_at, tracking, state, holder, begun_at, lease_until,
          created_at, updated_at)
        VALUES ('%s', 'slow', '', 'q', '', '', 0, 0, 0, 'FULL', 'PENDING', 't', 1, 32503680000000,
          0, 0)
        """
            .formatted(ROUTE));
    routesDue(null);
    assertThat(blocks(() -> routesDue(Set.of(ROUTE)))).isLessThan(FEW);
  }

  @Test
  void the_open_transaction_is_told() throws SQLException {
    JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
    connection.commit();
    String oldest = store.oldestSnapshot();
    assertThat(oldest).isNotNull();
    execute(connection, "INSERT INTO pocketwatch_schema VALUES (2)");
    execute(connection, "DELETE FROM pocketwatch_schema WHERE version = 2");
    connection.commit();
    assertThat(store.oldestSnapshot()).isEqualTo(oldest);
    open.rollback();
    assertThat(store.oldestSnapshot()).isNotEqualTo(oldest);
  }

  @Test
  void who_may_not_see_others_sessions_is_told_the_same() throws SQLException {
    String ask = sql.dialect().oldestSnapshot();
    String told = Jdbc.first(connection, ask, row -> row.getString(1)).orElseThrow();
    execute(connection, "CREATE ROLE pocketwatch_without_rights");
    execute(connection, "SET LOCAL ROLE pocketwatch_without_rights");

    assertThat(Jdbc.first(connection, ask, row -> row.getString(1))).hasValue(told);
  }

  private void routesDue(@Nullable Set<String> among) throws SQLException {
    assertThat(claims.routesDue(connection, Instant.now(), among)).isEmpty();
  }

  private void claim() throws SQLException {
    Lease lease = new Lease("loader", Duration.ofMinutes(1));
    assertThat(claims.claim(connection, new ClaimRequest(ROUTE, Instant.now(), 10, 1 << 20, lease)))
        .isEmpty();
  }

  private interface Step {
    void run() throws SQLException;
  }

  /** Of the table and the index of what is due, by one transaction. */
  private long blocks(Step step) throws SQLException {
    connection.commit();
    long before = blocks();
    step.run();
    return blocks() - before;
  }

  private long blocks() throws SQLException {
    return Jdbc.first(
            connection,
            "SELECT pg_stat_get_xact_blocks_fetched('pocketwatch_message'::regclass)"
                + " + pg_stat_get_xact_blocks_fetched('pocketwatch_message_next'::regclass)",
            row -> row.getLong(1))
        .orElseThrow();
  }

  private static void execute(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }
}
