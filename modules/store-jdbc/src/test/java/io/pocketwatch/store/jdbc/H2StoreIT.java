// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ci")
class H2StoreIT extends JdbcStoreIT {
  @Override
  TestDatabase create() throws SQLException {
    return TestDatabases.h2();
  }

  /** A loader compares it with its machine's, and loads nothing where they differ. */
  @Test
  void its_clock_is_the_machines_in_any_zone() throws SQLException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String zone : List.of("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns")) {
        statement.execute("SET TIME ZONE '" + zone + "'");
        try (ResultSet row = statement.executeQuery("SELECT " + new H2Dialect().now())) {
          row.next();
          assertThat(Instant.ofEpochMilli(row.getLong(1)))
              .as(zone)
              .isCloseTo(Instant.now(), within(10, ChronoUnit.SECONDS));
        }
      }
      statement.execute("SET TIME ZONE LOCAL");
    }
  }
}
