// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static org.junit.jupiter.api.parallel.ResourceLockTarget.CHILDREN;

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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Everything about the guard, on one database. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@ResourceLock(value = GuardSetup.WHEEL, mode = ResourceAccessMode.READ, target = CHILDREN)
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
  private final ThreadLocal<GuardWorld> world = new ThreadLocal<>();

  abstract TestDatabase create() throws SQLException;

  @BeforeAll
  void openDatabase() throws SQLException {
    database = create();
    pool = pool(database);
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
    world.set(new GuardWorld(BROKER::connectionFactory, pool));
  }

  @AfterEach
  void closeWorld() throws Exception {
    world.get().close();
    world.remove();
  }

  @AfterAll
  void closeDatabase() throws SQLException {
    pool.close();
    database.close();
  }

  @Override
  public GuardWorld world() {
    return world.get();
  }

  @Override
  public BrokerExtension broker() {
    return BROKER;
  }
}
