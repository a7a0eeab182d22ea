// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.SQLException;
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
      assertThat(store().extend(handling, LONG)).isTrue();
      assertThatThrownBy(() -> jdbcStore().settle(handler, handling))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("could not serialize access");
      handler.rollback();
      handler.setAutoCommit(true);
    }
    assertThat(store().settle(handling)).isTrue();
  }

  private static String isolation(HikariDataSource pool) throws SQLException {
    Dialect dialect;
    try (Connection connection = pool.getConnection()) {
      dialect = Dialects.detect(connection.getMetaData());
    }
    return new Transactions(pool, dialect)
        .run(
            "look",
            connection ->
                Jdbc.first(connection, "SHOW transaction_isolation", row -> row.getString(1))
                    .orElseThrow());
  }
}
