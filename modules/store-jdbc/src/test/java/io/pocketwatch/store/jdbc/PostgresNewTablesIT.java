// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that were empty, or known to hold next to nothing, when a connection learnt its
 * statements, and that fill before the next ANALYZE: rows are still looked up, and not searched for
 * among all.
 */
class PostgresNewTablesIT {
  private static final String ROUTE = "orders";
  private static final Instant DUE = Instant.ofEpochSecond(1_000);
  private static final Instant SINCE = DUE.plusSeconds(1);
  private static final int LATER_ROWS = 20_000;
  private static final int AT_ONCE = 20;

  /** A driver names a statement when it is run for the 5th time, then 5 runs make plans. */
  private static final int RUNS = 15;

  private TestDatabase database;
  private HikariDataSource pool;

  private final Sql sql = new Sql(new Tables(Tables.DEFAULT_PREFIX), new PostgreSqlDialect(true));
  private final Bulk bulk = sql.dialect().bulk(sql);
  private final Inserts inserts = new Inserts(sql, bulk);
  private final LockedRows rows = new LockedRows(sql, bulk);
  private final Claims claims = new Claims(sql, bulk, new LowerBounds(System::nanoTime));
  private final Progress progress = new Progress(sql);
  private final Handlings handlings = new Handlings(sql, bulk, rows, progress);
  private final OverdueRows recovery = new OverdueRows(sql, bulk, progress);
  private final FinishedRows finished = new FinishedRows(sql, bulk, progress);

  /** How many rows of our tables each step read, and all of them so far. */
  private final Map<String, Long> read = new LinkedHashMap<>();

  private long before;

  @BeforeEach
  void open() throws SQLException {
    database = TestDatabases.postgresql();
    pool = JdbcStoreIT.pool(database.url());
    JdbcSchema.create(pool);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String table : List.of("message")) {
        statement.execute("ALTER TABLE pocketwatch_" + table + " SET (autovacuum_enabled = off)");
      }
    }
  }

  @AfterEach
  void drop() throws SQLException {
    pool.close();
    database.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void no_table_is_read_as_a_whole(boolean analysed) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      if (analysed) {
        inserts.insert(connection, messages("first-", 1, DUE.plusSeconds(9)), null);
        try (Statement statement = connection.createStatement()) {
          statement.execute("VACUUM ANALYZE");
        }
      }
      connection.setAutoCommit(false);
      for (int run = 0; run < RUNS; run++) {
        pass(connection, "early-" + run + "-");
        connection.commit();
      }
      for (int from = 0; from < LATER_ROWS; from += 2_000) {
        inserts.insert(
            connection, messages("later-" + from + "-", 2_000, DUE.plusSeconds(9)), null);
      }
      connection.commit();

      read.clear();
      before = rowsRead(connection);
      pass(connection, "now-");

      assertThat(read).allSatisfy((step, rows) -> assertThat(rows).isLessThan(AT_ONCE * 10L));
      connection.commit();
    }
  }

  /** A message's way through the store: sent again, brought back, held again, handled, deleted. */
  private void pass(Connection connection, String prefix) throws SQLException {
    List<ScheduledMessage> messages = messages(prefix, AT_ONCE, DUE);
    inserts.insert(connection, messages, null);
    note(connection, "insert");
    inserts.insert(connection, messages, null);
    note(connection, "insert again");
    hold(connection);
    assertThat(recovery.returnOverdue(connection, ROUTE, SINCE, SINCE, AT_ONCE)).isEqualTo(AT_ONCE);
    note(connection, "return overdue");
    hold(connection);
    List<Beginning> all =
        messages.stream()
            .map(each -> new Beginning(new Handling(each.key(), "q", each.key().id()), 1))
            .toList();
    assertThat(handlings.begin(connection, all, Duration.ofMinutes(1)))
        .hasSize(AT_ONCE)
        .containsOnly(Begun.handle(Attempts.NONE));
    note(connection, "begin");
    List<Ending> settles = all.stream().map(each -> Ending.settle(each.handling())).toList();
    assertThat(handlings.end(connection, settles)).hasSize(AT_ONCE).containsOnly(Ended.APPLIED);
    note(connection, "settle");
    Retention atOnce = new Retention(Duration.ZERO, Duration.ZERO);
    assertThat(finished.delete(connection, atOnce, AT_ONCE)).isEqualTo(AT_ONCE);
    note(connection, "delete");
  }

  private void hold(Connection connection) throws SQLException {
    Lease lease = new Lease("loader", Duration.ofMinutes(1));
    List<Claim> claimed =
        claims.claim(connection, new ClaimRequest(ROUTE, DUE, AT_ONCE, 1 << 20, lease));
    note(connection, "claim");
    List<Conclusion> ends = claimed.stream().map(each -> Conclusion.sent(each, DUE)).toList();
    assertThat(claims.conclude(connection, ends)).hasSize(AT_ONCE).containsOnly(Ended.APPLIED);
    note(connection, "mark held");
  }

  private static List<ScheduledMessage> messages(String prefix, int count, Instant deliverAt) {
    return IntStream.range(0, count)
        .mapToObj(
            n ->
                new ScheduledMessage(
                    new MessageKey(ROUTE, prefix + n),
                    null,
                    "",
                    "q",
                    new byte[2],
                    new byte[2],
                    deliverAt,
                    Tracking.FULL))
        .toList();
  }

  private void note(Connection connection, String step) throws SQLException {
    long all = rowsRead(connection);
    read.merge(step, all - before, Math::max);
    before = all;
  }

  /** Of our tables, by this transaction. */
  private static long rowsRead(Connection connection) throws SQLException {
    return Jdbc.first(
            connection,
            "SELECT SUM(COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0))"
                + " FROM pg_stat_xact_user_tables WHERE relname LIKE 'pocketwatch%'",
            row -> row.getLong(1))
        .orElseThrow();
  }
}
