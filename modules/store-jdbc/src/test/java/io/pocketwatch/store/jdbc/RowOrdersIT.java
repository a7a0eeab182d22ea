// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.jdbc.RowOrder.Event;
import io.pocketwatch.testing.Orders;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link RowStep} says what can happen, {@link RowOrder} what must hold. */
class RowOrdersIT {
  @Test
  void whatever_happens_a_row_is_as_row_md_says_in_h2() throws SQLException {
    Map<String, Integer> outcomes = run(TestDatabases.h2(), 10_000);
    assertThat(outcomes)
        .as("what was told, and how often")
        .hasSizeGreaterThan(20)
        .containsKey("found by a look in full");
  }

  @Test
  void whatever_happens_a_row_is_as_row_md_says_in_postgresql() throws SQLException {
    run(postgresql(), 100);
  }

  @Test
  @Tag("wide")
  void whatever_happens_a_row_is_as_row_md_says_in_postgresql_at_length() throws SQLException {
    run(postgresql(), 3_000);
  }

  @Test
  @Tag("wide")
  void whatever_happens_a_row_is_as_row_md_says_in_mariadb() throws SQLException {
    run(TestDatabases.mariadb(), 500);
  }

  /** No order outlives its database, so none waits for a disk. */
  private static TestDatabase postgresql() throws SQLException {
    TestDatabase database = TestDatabases.postgresql();
    String first = database.url().contains("?") ? "&" : "?";
    String url = database.url() + first + "options=-c%20synchronous_commit=off";
    return new TestDatabase(url, database.adminUrl(), database.drop());
  }

  private static Map<String, Integer> run(TestDatabase database, int orders) throws SQLException {
    try (database;
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      JdbcSchema.create(pool);
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      return new Orders<>(
              RowStep.values(),
              step -> step.often,
              Event::new,
              (seed, events) -> new RowOrder(store, pool, seed, events).run())
          .run(orders);
    }
  }
}
