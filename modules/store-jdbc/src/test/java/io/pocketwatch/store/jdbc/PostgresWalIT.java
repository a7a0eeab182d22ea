// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What PostgreSQL writes ahead for a message: inserted, claimed, begun, settled and deleted. Ids
 * are random, as half of the keys of an index then lie on other pages. The limits are what was
 * measured, and a twentieth.
 */
class PostgresWalIT {
  private static final int MESSAGES = 10_000;
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Random RANDOM = new Random(50);
  private static final String ROUTE = "order-timeout";

  @ParameterizedTest(name = "bodies of {0} bytes")
  @CsvSource({"200, 2500", "2000, 4950"})
  void aMessageWritesLittleAhead(int bodyLength, long most) throws SQLException {
    try (TestDatabase database = TestDatabases.postgresql();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      JdbcSchema.create(pool);
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      execute(pool, "CHECKPOINT");
      Map<String, Long> bytes = new TreeMap<>();
      long before = written(pool);
      for (int done = 0; done < MESSAGES; done += 500) {
        insert(store, bodyLength);
      }
      before = note(bytes, "1 insert", before, pool);
      List<Claim> claims = new ArrayList<>();
      while (claims.size() < MESSAGES) {
        claims.addAll(store.claim(request(store)));
      }
      before = note(bytes, "2 claim", before, pool);
      List<Handling> handlings =
          claims.stream()
              .map(c -> new Handling(c.key(), "orders", UUID.randomUUID().toString()))
              .toList();
      for (List<Handling> some : parts(handlings)) {
        assertThat(store.begin(some.stream().map(h -> new Beginning(h, 1)).toList(), LEASE))
            .extracting(Begun::verdict)
            .containsOnly(Verdict.HANDLE);
      }
      before = note(bytes, "3 begin", before, pool);
      for (List<Handling> some : parts(handlings)) {
        assertThat(store.end(some.stream().map(Ending::settle).toList()))
            .containsOnly(Ended.APPLIED);
      }
      before = note(bytes, "4 settle", before, pool);
      int deleted = 0;
      while (deleted < MESSAGES) {
        deleted += store.deleteFinished(new Retention(Duration.ZERO, Duration.ZERO), 1_000);
      }
      note(bytes, "5 delete", before, pool);
      long all = bytes.values().stream().mapToLong(Long::longValue).sum();
      System.out.printf(
          "bytes of WAL per message with a body of %s: %s, together %s; updates, and in place: %s%n",
          bodyLength, bytes, all, updates(pool));
      assertThat(all).isLessThanOrEqualTo(most);
    }
  }

  private static void insert(JdbcDelayStore store, int bodyLength) {
    Instant due = store.now().minusMillis(500);
    List<ScheduledMessage> rows = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      MessageKey key = new MessageKey(ROUTE, UUID.randomUUID().toString());
      rows.add(
          new ScheduledMessage(
              key,
              null,
              "orders",
              "order.timeout",
              bytes(120),
              bytes(bodyLength),
              due.plusMillis(i),
              Tracking.FULL));
    }
    store.insert(rows, null);
  }

  /** That cannot be compressed. */
  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static ClaimRequest request(JdbcDelayStore store) {
    return new ClaimRequest(ROUTE, store.now(), 500, 16L << 20, new Lease("loader", LEASE));
  }

  private static List<List<Handling>> parts(List<Handling> all) {
    List<List<Handling>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += 100) {
      parts.add(all.subList(from, from + 100));
    }
    return parts;
  }

  private static long note(
      Map<String, Long> bytes, String station, long before, HikariDataSource pool)
      throws SQLException {
    long now = written(pool);
    bytes.put(station, (now - before) / MESSAGES);
    return now;
  }

  private static long written(HikariDataSource pool) throws SQLException {
    return Long.parseLong(answer(pool, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
  }

  private static String updates(HikariDataSource pool) throws SQLException {
    return answer(
        pool,
        "SELECT n_tup_upd || ', ' || n_tup_hot_upd FROM pg_stat_user_tables"
            + " WHERE relname = 'pocketwatch_message'");
  }

  private static String answer(HikariDataSource pool, String query) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static void execute(HikariDataSource pool, String text) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }
}
