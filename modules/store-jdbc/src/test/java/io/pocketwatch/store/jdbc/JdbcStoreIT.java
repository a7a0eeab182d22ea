// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.testkit.store.DelayStoreContract;
import io.pocketwatch.testkit.store.TestDatabase;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Everything that is tested on each database, on an empty one of the class's own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreIT
    implements DelayStoreContract,
        InterleavingTests,
        ClaimersTests,
        RaceTests,
        CrowdTests,
        JoiningTests,
        RollupTests,
        MovedTimeTests,
        ErasureTests,
        SchemaTests {
  private TestDatabase database;
  private HikariDataSource pool;
  private JdbcDelayStore store;

  abstract TestDatabase create() throws SQLException;

  @BeforeAll
  void open() throws SQLException {
    database = create();
    pool = pool(database.url());
    JdbcSchema.create(pool);
    store = JdbcDelayStore.builder(pool).build();
  }

  static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(12);
    return new HikariDataSource(config);
  }

  @AfterAll
  void close() throws SQLException {
    pool.close();
    database.close();
  }

  @Override
  public DelayStore store() {
    return store;
  }

  @Override
  public JdbcDelayStore jdbcStore() {
    return store;
  }

  @Override
  public DataSource dataSource() {
    return pool;
  }

  @Override
  public TestDatabase newDatabase() throws SQLException {
    return create();
  }
}
