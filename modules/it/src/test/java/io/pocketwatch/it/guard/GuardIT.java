// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Everything about the guard, on one database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GuardIT
    implements DeliveryTests,
        ChangeTests,
        EarlyTests,
        ConsumerFaultTests,
        DeferTests,
        StoreDownTests,
        TransactionTests {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private TestDatabase database;
  private HikariDataSource pool;
  private GuardWorld world;

  abstract TestDatabase create() throws SQLException;

  @BeforeAll
  void openDatabase() throws SQLException {
    database = create();
    pool = pool(database);
  }

  static HikariDataSource pool(TestDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(12);
    HikariDataSource pool = new HikariDataSource(config);
    JdbcSchema.create(pool);
    return pool;
  }

  @BeforeEach
  void openWorld() throws Exception {
    world = new GuardWorld(BROKER::connectionFactory, pool);
  }

  @AfterEach
  void closeWorld() throws Exception {
    world.close();
  }

  @AfterAll
  void closeDatabase() throws SQLException {
    pool.close();
    database.close();
  }

  @Override
  public GuardWorld world() {
    return world;
  }

  @Override
  public BrokerExtension broker() {
    return BROKER;
  }
}
