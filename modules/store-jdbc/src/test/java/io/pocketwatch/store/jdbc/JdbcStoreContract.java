// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.testkit.store.StoreContract;
import io.pocketwatch.testkit.store.TestDatabase;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What tests of the JDBC store need beyond a store. */
public interface JdbcStoreContract extends StoreContract {
  JdbcDelayStore jdbcStore();

  DataSource dataSource();

  /** Another empty database on the same server. */
  TestDatabase newDatabase() throws SQLException;
}
