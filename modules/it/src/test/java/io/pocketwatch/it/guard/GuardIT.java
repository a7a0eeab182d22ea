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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Everything about the guard, on one database. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
abstract class GuardIT
    implements DeliveryTests,
        ChangeTests,
        EarlyTests,
        ConsumerFaultTests,
        DeferTests,
        StoreDownTests,
        TransactionTests {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static TestDatabase database;
  private static HikariDataSource pool;

  private GuardWorld world;

  abstract TestDatabase create() throws SQLException;

  private static synchronized HikariDataSource pool(GuardIT test) throws SQLException {
    if (pool == null) {
      database = test.create();
      pool = pool(database);
    }
    return pool;
  }

  static HikariDataSource pool(TestDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(40);
    HikariDataSource pool = new HikariDataSource(config);
    JdbcSchema.create(pool);
    return pool;
  }

  @BeforeEach
  void openWorld() throws Exception {
    world = new GuardWorld(BROKER::connectionFactory, pool(this));
  }

  @AfterEach
  void closeWorld() throws Exception {
    world.close();
  }

  @AfterAll
  static synchronized void closeDatabase() throws SQLException {
    if (pool != null) {
      pool.close();
      pool = null;
      database.close();
    }
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
