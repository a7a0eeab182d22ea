// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.ScheduleChanged;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.testkit.store.ScheduleStoreContract;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class PostgresStoreIT extends JdbcStoreIT {
  @Override
  TestDatabase create() throws SQLException {
    return TestDatabases.postgresql();
  }

  /** With an older snapshot a cancel would not see the handling that has just begun. */
  @Test
  void a_pool_with_another_isolation_is_read_committed_for_us() throws SQLException {
    try (TestDatabase database = newDatabase()) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.url());
      config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
      try (HikariDataSource pool = new HikariDataSource(config)) {
        assertThat(isolation(pool)).isEqualTo("read committed");
      }
    }
  }

  /** As after a fail-over: the old connections are open, and nobody ever answers on them. */
  @Test
  void a_database_that_falls_silent_stops_nobody_for_good() throws Exception {
    TestDatabase database = newDatabase();
    URI address = URI.create(database.url().substring("jdbc:".length()));
    try (NetworkProxy network = NetworkProxy.to(address.getHost(), address.getPort());
        HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(
          database.url().replace(address.getAuthority(), network.host() + ":" + network.port()));
      pool.setConnectionTimeout(1_000);
      JdbcSchema.create(pool);
      JdbcDelayStore store =
          JdbcDelayStore.builder(pool).statementTimeout(Duration.ofSeconds(1)).build();
      List<ScheduledMessage> messages =
          IntStream.range(0, 40).mapToObj(i -> message("silent", "m" + i, store.now())).toList();
      store.insert(messages, null);
      ExecutorService handlers = Executors.newFixedThreadPool(messages.size());
      try {
        List<Callable<Begun.Verdict>> begins =
            messages.stream()
                .<Callable<Begun.Verdict>>map(
                    each -> () -> Handlings.of(store).begin(each.key(), 1, "q", LONG).verdict())
                .toList();
        network.stall();
        for (Future<Begun.Verdict> begin : handlers.invokeAll(begins, 60, TimeUnit.SECONDS)) {
          assertThat(begin.isCancelled()).as("still waiting").isFalse();
          assertThatThrownBy(begin::get).hasCauseInstanceOf(StoreException.class);
        }

        network.resume();
        for (Future<Begun.Verdict> begin : handlers.invokeAll(begins, 60, TimeUnit.SECONDS)) {
          assertThat(begin.get()).isIn(Begun.Verdict.HANDLE, Begun.Verdict.BUSY);
        }
      } finally {
        handlers.shutdownNow();
      }
    } finally {
      database.close();
    }
  }

  /** Why the README says at which isolation a handler settles. */
  @Test
  void a_handler_that_reads_at_repeatable_read_cannot_settle_once_its_lease_was_renewed()
      throws SQLException {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      handler.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      JoiningTests.read(handler);
      assertThat(Handlings.of(store()).extend(handling, LONG)).isTrue();
      assertThatThrownBy(() -> jdbcStore().settleIn(handler, handling))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("could not serialize access");
      handler.rollback();
      handler.setAutoCommit(true);
    }
    assertThat(Handlings.of(store()).settle(handling)).isTrue();
  }

  /** The victim of a deadlock has changed nothing, and asks its function again. */
  @Test
  void a_schedule_whose_transaction_was_a_deadlock_s_victim_is_changed_once() throws Exception {
    String name = newRoute();
    ScheduledMessage message = message(name, "in the way", store().now());
    AtomicInteger calls = new AtomicInteger();
    StoredSchedule schedule = schedule(name);
    store().change(name, found -> ScheduleChange.none(schedule));
    CompletableFuture<ScheduleChanged> changed;
    try (Connection other = dataSource().getConnection()) {
      other.setAutoCommit(false);
      assertThat(jdbcStore().insert(other, List.of(message), null))
          .containsExactly(InsertOutcome.INSERTED);
      changed =
          CompletableFuture.supplyAsync(
              () ->
                  store()
                      .change(
                          name,
                          found -> {
                            if (calls.incrementAndGet() == 1) {
                              Awaitility.await().until(this::somebodyHasWaited);
                            }
                            return new ScheduleChange(schedule, List.of(message));
                          }));
      Awaitility.await().until(() -> calls.get() == 1);
      waitForTheSchedule(other, name);
      other.rollback();
      other.setAutoCommit(true);
    }
    assertThat(changed.get(20, TimeUnit.SECONDS).inserted())
        .containsExactly(InsertOutcome.INSERTED);
    assertThat(calls).hasValueGreaterThan(1);
    store().change(name, found -> ScheduleChange.none(null));
  }

  /** In a second deadlock with what is done again, this one may be the victim. */
  private static void waitForTheSchedule(Connection other, String name) throws SQLException {
    try {
      Jdbc.list(
          other,
          "SELECT name FROM pocketwatch_schedule WHERE name = ? FOR UPDATE",
          row -> row.getString(1),
          name);
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isEqualTo("40P01");
    }
  }

  /** For so long that it has looked for a deadlock already, and found none: after a second. */
  private boolean somebodyHasWaited() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      return Jdbc.first(
              connection,
              "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                  + " AND wait_event_type = 'Lock'"
                  + " AND clock_timestamp() - query_start > interval '3 seconds'",
              row -> row.getInt(1))
          .isPresent();
    }
  }

  private StoredSchedule schedule(String name) {
    return ScheduleStoreContract.newSchedule(name, store().now(), null);
  }

  private static String isolation(HikariDataSource pool) throws SQLException {
    Dialect dialect;
    try (Connection connection = pool.getConnection()) {
      dialect = Dialects.detect(connection.getMetaData());
    }
    return new Transactions(
            pool,
            dialect,
            true,
            Duration.ofSeconds(30),
            new LostCommits(new Sql(new Tables(Tables.DEFAULT_PREFIX), dialect), System::nanoTime))
        .run(
            "look",
            connection ->
                Jdbc.first(connection, "SHOW transaction_isolation", row -> row.getString(1))
                    .orElseThrow());
  }

  @Test
  @Override
  public void an_open_transaction_keeps_nobody_else_from_inserting() throws SQLException {
    super.an_open_transaction_keeps_nobody_else_from_inserting();
  }
}
