// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.testkit.store.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Missing, older and newer tables; another prefix. */
interface SchemaTests extends JdbcStoreContract {
  @Test
  default void refuses_tables_of_another_version() throws SQLException {
    try (TestDatabase database = newDatabase();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      assertRefused(pool, "has no Pocketwatch tables");
      JdbcSchema.create(pool);
      JdbcDelayStore.builder(pool).build();
      execute(pool, "UPDATE pocketwatch_schema SET version = " + (SchemaCheck.VERSION - 1));
      assertRefused(pool, "older than this library's " + SchemaCheck.VERSION);
      execute(pool, "UPDATE pocketwatch_schema SET version = " + (SchemaCheck.VERSION + 1));
      assertRefused(pool, "newer than this library's " + SchemaCheck.VERSION);
      assertThatThrownBy(() -> JdbcSchema.create(pool))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("newer than this library's " + SchemaCheck.VERSION);
    }
  }

  @Test
  default void tables_made_by_other_scripts_are_refused() throws SQLException {
    try (TestDatabase database = newDatabase();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      JdbcSchema.create(pool);
      String product = jdbcStore().describe().split(" ", 2)[0];
      String sql = "UPDATE 'pocketwatch_schema_history' SET 'checksum' = 1 WHERE 'version' = '1'";
      String quote = product.startsWith("M") ? "`" : "\"";
      execute(pool, sql.replaceAll("'(?!1)([a-z_]+)'", quote + "$1" + quote));

      assertThatThrownBy(() -> JdbcSchema.create(pool))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("the tables could not be created: ")
          .hasMessageContaining("checksum");
    }
  }

  private static void assertRefused(DataSource dataSource, String sentence) {
    assertThatThrownBy(() -> JdbcDelayStore.builder(dataSource).build())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(sentence)
        .hasMessageContaining("pocketwatch schema")
        .hasMessageContaining("JdbcSchema.create");
  }

  @Test
  default void stands_beside_the_applications_tables_and_migrations() throws SQLException {
    try (TestDatabase database = newDatabase();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      execute(pool, "CREATE TABLE orders (id INTEGER)");
      JdbcSchema.create(pool);
      JdbcSchema.create(pool);
      String product = jdbcStore().describe().split(" ", 2)[0];
      execute(pool, JdbcSchema.ddl(product, "other_").split(";\\s*\n"));
      JdbcDelayStore other = JdbcDelayStore.builder(pool).tablePrefix("other_").build();
      ScheduledMessage message = message("r", "a", store().now());
      other.insert(List.of(message), null);
      assertThat(other.find(message.key())).isPresent();
      assertThat(JdbcDelayStore.builder(pool).build().find(message.key())).isEmpty();
    }
  }

  @Test
  default void tables_made_by_hand_are_left_alone() throws SQLException {
    try (TestDatabase database = newDatabase();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      String product = jdbcStore().describe().split(" ", 2)[0];
      execute(pool, JdbcSchema.ddl(product).split(";\\s*\n"));

      assertThat(JdbcSchema.create(pool)).isFalse();

      JdbcDelayStore.builder(pool).build();
    }
  }

  @Test
  default void the_view_shows_times() throws SQLException {
    String route = newRoute();
    due(route, "a");
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT deliver_at, lease_until FROM pocketwatch_readable WHERE route = '"
                    + route
                    + "'")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getString("deliver_at")).startsWith("20");
    }
  }

  private static void execute(DataSource dataSource, String... texts) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }
}
