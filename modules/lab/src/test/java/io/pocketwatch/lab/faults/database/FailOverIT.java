// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A primary dies under load while its stand-by hears nothing, and the stand-by takes over: what was
 * confirmed is there if commits waited for the stand-by, and the store tells what is not.
 */
@Tag("wide")
class FailOverIT {
  private static final String ROUTE = "timeout";
  private static final int WRITERS = 4;
  private static final int CANCELLED_OF = 5;

  /** So that what is cancelled was replicated when its cancel is not. */
  private static final int EARLIER = 100;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
  private final Set<String> cancelled = ConcurrentHashMap.newKeySet();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean done;
  private DatabasePair pair;
  private HikariDataSource pool;
  private JdbcDelayStore store;

  @AfterEach
  void stop() throws InterruptedException {
    stopWriters();
    if (pool != null) {
      pool.close();
    }
    if (pair != null) {
      pair.close();
    }
  }

  @Test
  void a_synchronous_stand_by_has_all_that_was_confirmed() throws Exception {
    assertNothingLost(PostgresPair.start(folder, true));
  }

  @Test
  void so_has_a_semi_synchronous_replica_of_mariadb() throws Exception {
    assertNothingLost(MariaDbPair.start(folder, true));
  }

  private void assertNothingLost(DatabasePair synchronous) throws Exception {
    begin(synchronous);
    pair.cut();
    awaitStandstill();
    failOver();

    Map<String, String> states = states();
    assertThat(states.keySet()).as("confirmed").containsAll(confirmed);
    assertThat(cancelled).as("cancelled").allMatch(id -> states.get(id).equals("CANCELLED"));
    assertThat(store.lostChanges()).isNull();
  }

  @Test
  void what_an_asynchronous_one_lacks_is_told() throws Exception {
    assertSomeLost(PostgresPair.start(folder, false));
    LostChanges told = store.lostChanges();
    assertThat(told).isNotNull();
    assertThat(told.after()).isBefore(told.until());
  }

  /** MariaDB has nothing that tells without fail. */
  @Test
  void what_an_asynchronous_replica_of_mariadb_lacks_is_not() throws Exception {
    assertSomeLost(MariaDbPair.start(folder, false));
    assertThat(store.lostChanges()).isNull();
  }

  private void assertSomeLost(DatabasePair asynchronous) throws Exception {
    begin(asynchronous);
    int before = confirmed.size();
    pair.cut();
    awaitConfirmed(before + 400);
    failOver();

    Map<String, String> states = states();
    long lost = confirmed.stream().filter(id -> !states.containsKey(id)).count();
    long undone = cancelled.stream().filter(id -> "PENDING".equals(states.get(id))).count();
    System.out.printf(
        "Of %s confirmed %s are lost; of %s cancelled %s are undone; told: %s%n",
        confirmed.size(), lost, cancelled.size(), undone, store.lostChanges());
    assertThat(lost).isGreaterThanOrEqualTo(350);
    assertThat(undone).isPositive();
  }

  /** What it takes is lost as soon as the programs find the new one again. */
  @Test
  void an_old_primary_that_comes_back_beside_the_new_one_is_told() throws Exception {
    PostgresPair both = PostgresPair.start(folder, false);
    begin(both);
    stopWriters();
    String kept = insertUntilConfirmed("kept");
    await().atMost(PATIENCE).until(both::replicated);
    pair.cut();
    pair.killPrimary();
    pair.promote();
    insertUntilConfirmed("new");
    assertThat(store.lostChanges()).as("all was replicated").isNull();

    pair.startPrimary();
    await().atMost(PATIENCE).ignoreExceptions().until(this::isBackAtTheOldOne);
    String lost = insertUntilConfirmed("old");
    pair.killPrimary();
    insertUntilConfirmed("newer");

    assertThat(states()).containsKeys(kept, "new", "newer").doesNotContainKey(lost);
    await().atMost(PATIENCE).until(() -> insertUntilConfirmed("told") != null && told());
  }

  /** A program that connects anew takes the first that takes changes. */
  private boolean isBackAtTheOldOne() throws SQLException {
    pool.getHikariPoolMXBean().softEvictConnections();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW cluster_name")) {
      return row.next() && row.getString(1).equals("primary");
    }
  }

  private boolean told() {
    return store.lostChanges() != null;
  }

  private void begin(DatabasePair started) {
    pair = started;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(pair.url());
    config.setMaximumPoolSize(WRITERS + 1);
    config.setConnectionTimeout(Duration.ofSeconds(2).toMillis());
    pool = new HikariDataSource(config);
    JdbcSchema.create(pool);
    store = JdbcDelayStore.builder(pool).build();
    for (int writer = 0; writer < WRITERS; writer++) {
      String name = "w" + writer + "-";
      Thread thread = new Thread(() -> write(name), "writer-" + writer);
      thread.start();
      writers.add(thread);
    }
    awaitConfirmed(1_000);
  }

  private void write(String name) {
    AtomicInteger next = new AtomicInteger();
    while (!done) {
      int number = next.getAndIncrement();
      try {
        insert(name + number);
        if (number % CANCELLED_OF == 0 && number >= EARLIER) {
          cancel(name + (number - EARLIER));
        }
      } catch (StoreException e) {
        Thread.onSpinWait(); // not confirmed; the next one tries again
      }
    }
  }

  private boolean insert(String id) {
    ScheduledMessage message =
        new ScheduledMessage(
            new MessageKey(ROUTE, id),
            null,
            "",
            "work",
            new byte[2],
            new byte[100],
            store.now().plus(Duration.ofDays(1)),
            Tracking.FULL);
    boolean inserted = store.insert(List.of(message), null).equals(List.of(InsertOutcome.INSERTED));
    if (inserted) {
      confirmed.add(id);
    }
    return inserted;
  }

  private void cancel(String id) {
    if (store.cancel(new MessageKey(ROUTE, id)) == ChangeOutcome.DONE) {
      cancelled.add(id);
    }
  }

  private String insertUntilConfirmed(String id) {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> insert(id) || confirmed.contains(id));
    return id;
  }

  private void awaitConfirmed(int count) {
    await().atMost(PATIENCE).until(() -> confirmed.size() >= count);
  }

  /** Until nothing is confirmed any more. */
  private void awaitStandstill() {
    int[] last = {-1};
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              int now = confirmed.size();
              boolean still = now == last[0];
              last[0] = now;
              return still;
            });
  }

  /** And the load goes on, at the new one. */
  private void failOver() throws Exception {
    pair.killPrimary();
    int before = confirmed.size();
    pair.promote();
    awaitConfirmed(before + 500);
    stopWriters();
  }

  private void stopWriters() throws InterruptedException {
    done = true;
    for (Thread each : writers) {
      each.join();
    }
  }

  private Map<String, String> states() throws SQLException {
    Map<String, String> states = new HashMap<>();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, state FROM pocketwatch_message")) {
      while (rows.next()) {
        states.put(rows.getString(1), rows.getString(2));
      }
    }
    return states;
  }
}
