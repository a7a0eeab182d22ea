// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.SQLException;

class PostgresGuardIT extends GuardIT {
  @Override
  TestDatabase create() throws SQLException {
    return TestDatabases.postgresql();
  }
}
