// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** Tables are made by one start, wholly, and by no other. */
class StoreSchemaInitializerTest {
  private final JdbcDataSource database = new JdbcDataSource();

  @BeforeEach
  void open() {
    database.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
  }

  @Test
  void a_second_start_runs_nothing() throws SQLException {
    start(Duration.ZERO);
    execute("DROP VIEW pocketwatch_readable"); // without it a script that fails is a failure
    start(Duration.ZERO);
    assertThatThrownBy(() -> execute("DROP VIEW pocketwatch_readable"))
        .hasMessageContaining("not found");
    JdbcDelayStore.builder(database).build().close();
  }

  @Test
  void a_schema_that_is_half_made_is_refused_with_the_words_of_the_database() throws SQLException {
    execute("CREATE TABLE pocketwatch_message (id INTEGER)");
    assertThatThrownBy(() -> start(Duration.ZERO))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("\"POCKETWATCH_MESSAGE\" already exists");
  }

  @Test
  void of_instances_that_start_at_once_one_makes_the_tables_and_all_start() throws Exception {
    int instances = 4;
    CyclicBarrier together = new CyclicBarrier(instances);
    Callable<Boolean> instance =
        () -> {
          together.await();
          return start(StoreSchemaInitializer.PATIENCE);
        };
    ExecutorService threads = Executors.newFixedThreadPool(instances);
    try {
      List<Callable<Boolean>> all = List.of(instance, instance, instance, instance);
      for (Future<Boolean> each : threads.invokeAll(all)) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
    JdbcDelayStore.builder(database).build().close();
  }

  private boolean start(Duration patience) {
    return new StoreSchemaInitializer(database, DatabaseInitializationMode.ALWAYS, patience)
        .initializeDatabase();
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
