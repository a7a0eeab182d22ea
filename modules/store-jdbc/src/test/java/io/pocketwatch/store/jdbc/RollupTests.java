// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.OverviewStore.Rollup;
import io.pocketwatch.testkit.store.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Counting what happened: by many at once, and after a long time. */
interface RollupTests extends JdbcStoreContract {
  @Test
  default void what_many_count_at_once_counts_once() throws Exception {
    try (TestDatabase database = newDatabase();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      JdbcSchema.create(pool);
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      for (int i = 0; i < 20; i++) {
        store.insert(List.of(message("r", "m" + i, store.now())), null);
      }
      execute(pool, "UPDATE pocketwatch_message SET created_at = created_at - 600000");
      execute(pool, "UPDATE pocketwatch_rollup_end SET ends_at = ends_at - 1200000");
      Instant now = store.now();
      Callable<Instant> all =
          () -> {
            Instant end = Instant.MIN;
            for (Instant next = store.rollUp(now); next.isAfter(end); next = store.rollUp(now)) {
              end = next;
            }
            return end;
          };
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        for (Future<Instant> end : threads.invokeAll(List.of(all, all, all, all))) {
          assertThat(end.get()).isBetween(now.minusSeconds(60), now);
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(scheduled(store, now)).isEqualTo(20);
    }
  }

  private static long scheduled(JdbcDelayStore store, Instant now) {
    long period = Rollup.PERIOD.toMillis();
    Instant from = Instant.ofEpochMilli(now.toEpochMilli() / period * period - 96 * period);
    return store.rollups(from, now, Duration.ofDays(1), Set.of("r")).steps().stream()
        .mapToLong(Rollup::scheduled)
        .sum();
  }

  @Test
  default void nothing_is_counted_that_nobody_keeps_and_what_is_old_goes() throws Exception {
    try (TestDatabase database = newDatabase();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      JdbcSchema.create(pool);
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      Instant now = store.now();
      store.insert(List.of(message("r", "a", now)), null);
      while (store.rollUp(now.plusSeconds(60)).isBefore(now)) {
        // the next minute
      }
      assertThat(scheduled(store, now)).isOne();
      execute(pool, "UPDATE pocketwatch_rollup SET period_at = 0");
      execute(pool, "UPDATE pocketwatch_rollup_end SET ends_at = 60000");

      Instant end = store.rollUp(now);

      assertThat(end).isBetween(now.minus(Rollup.KEPT).minus(Rollup.PERIOD), now);
      assertThat(store.rollups(Instant.EPOCH, now, Duration.ofDays(365), Set.of()).steps())
          .isEmpty();
    }
  }

  private static void execute(HikariDataSource pool, String text) throws Exception {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }
}
