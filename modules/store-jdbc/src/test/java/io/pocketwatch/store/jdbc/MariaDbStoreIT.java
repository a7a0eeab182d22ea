// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.SQLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ci")
class MariaDbStoreIT extends JdbcStoreIT {
  @Override
  TestDatabase create() throws SQLException {
    return TestDatabases.mariadb();
  }

  @Test
  @Override
  public void an_open_transaction_keeps_nobody_else_from_inserting() throws SQLException {
    super.an_open_transaction_keeps_nobody_else_from_inserting();
  }

  @Test
  void the_mode_of_oracle_is_refused_before_there_are_tables() throws SQLException {
    try (TestDatabase database = create();
        HikariDataSource pool =
            pool(
                database.url()
                    + (database.url().contains("?") ? "&" : "?")
                    + "sessionVariables=sql_mode=ORACLE")) {
      assertThatThrownBy(() -> JdbcSchema.create(pool))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("sql_mode is ORACLE");
    }
  }

  @Test
  void an_open_transaction_is_told() throws SQLException {
    try (Connection open = dataSource().getConnection()) {
      open.setAutoCommit(false);
      JoiningTests.read(open);
      Awaitility.await().until(() -> jdbcStore().oldestSnapshot() != null);
      open.rollback();
      open.setAutoCommit(true);
    }
  }
}
