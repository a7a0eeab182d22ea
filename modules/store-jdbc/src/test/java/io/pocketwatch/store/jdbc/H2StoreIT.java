// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;

@Tag("ci")
class H2StoreIT extends JdbcStoreIT {
  @Override
  TestDatabase create() throws SQLException {
    return TestDatabases.h2();
  }
}
