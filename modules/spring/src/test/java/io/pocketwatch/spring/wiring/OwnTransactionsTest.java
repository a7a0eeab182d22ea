// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A cancel in a transaction of the application's, which rolls back: the store ends transactions of
 * its own only, whatever its data source is.
 */
class OwnTransactionsTest {
  /** What is between the store and its pool. */
  enum Between {
    NOTHING(pool -> pool),
    AWARE(TransactionAwareDataSourceProxy::new),
    LAZY(LazyConnectionDataSourceProxy::new),
    ROUTING(OwnTransactionsTest::routing),
    DELEGATING_TO_AWARE(pool -> new DelegatingDataSource(AWARE.over.apply(pool))),
    LAZY_OVER_AWARE(pool -> new LazyConnectionDataSourceProxy(AWARE.over.apply(pool))),
    AWARE_OVER_AWARE(pool -> new TransactionAwareDataSourceProxy(AWARE.over.apply(pool))),
    ROUTING_TO_AWARE(pool -> routing(AWARE.over.apply(pool))),
    /** As Spring's, of a class that nobody knows. */
    HIDDEN_AWARE(pool -> new Enlisting(pool, false)),
    /** As of JTA: its connections refuse to commit in a global transaction. */
    ENLISTING(pool -> new Enlisting(pool, true));

    private final Function<DataSource, DataSource> over;

    Between(Function<DataSource, DataSource> over) {
      this.over = over;
    }
  }

  /** What comes of it. */
  enum Verdict {
    /** In a transaction of its own: it stays, whatever becomes of the caller's. */
    OWN,
    /** The call is refused, in a transaction of the caller's only. */
    REFUSED,
    /** At the start. */
    NOT_STARTED
  }

  private HikariDataSource pool;

  @AfterEach
  void close() {
    pool.close();
  }

  @ParameterizedTest
  @CsvSource({
    "NOTHING, OWN, OWN",
    "AWARE, NOT_STARTED, OWN",
    "LAZY, OWN, OWN",
    "ROUTING, OWN, OWN",
    "DELEGATING_TO_AWARE, NOT_STARTED, NOT_STARTED",
    "LAZY_OVER_AWARE, NOT_STARTED, NOT_STARTED",
    "AWARE_OVER_AWARE, NOT_STARTED, NOT_STARTED",
    "ROUTING_TO_AWARE, NOT_STARTED, NOT_STARTED",
    "HIDDEN_AWARE, REFUSED, REFUSED",
    "ENLISTING, REFUSED, REFUSED",
  })
  void the_callers_transaction_is_not_the_stores(Between between, Verdict own, Verdict configured) {
    for (boolean autoCommit : new boolean[] {true, false}) {
      check(between, autoCommit, OwnTransactionsTest::ownBean, own);
      check(between, autoCommit, each -> JdbcStoreWiring.store(each, "pocketwatch_"), configured);
    }
  }

  private static JdbcDelayStore ownBean(DataSource dataSource) {
    return JdbcDelayStore.builder(dataSource).build();
  }

  private void check(
      Between between,
      boolean autoCommit,
      Function<DataSource, JdbcDelayStore> configuration,
      Verdict verdict) {
    start(autoCommit);
    DataSource dataSource = between.over.apply(pool);
    if (verdict == Verdict.NOT_STARTED) {
      assertThatThrownBy(() -> wired(configuration.apply(dataSource)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("TransactionAwareDataSourceProxy", "JdbcDelayStore", "the pool");
      return;
    }
    JdbcDelayStore store = wired(configuration.apply(dataSource));
    assertThat(store.cancel(insert(store))).as("outside").isEqualTo(ChangeOutcome.DONE);

    MessageKey key = insert(store);
    transaction()
        .executeWithoutResult(
            status -> {
              new JdbcTemplate(pool).update("INSERT INTO orders (id) VALUES (17)");
              if (verdict == Verdict.OWN) {
                assertThat(store.cancel(key)).isEqualTo(ChangeOutcome.DONE);
              } else {
                assertThatThrownBy(() -> store.cancel(key))
                    .isInstanceOf(StoreUnchangedException.class)
                    .hasMessageContaining("a transaction that the store did not begin");
              }
              status.setRollbackOnly();
            });
    assertThat(new JdbcTemplate(pool).queryForObject("SELECT COUNT(*) FROM orders", Long.class))
        .as("the caller's row, which was rolled back")
        .isZero();
    assertThat(store.find(key).orElseThrow().state())
        .isEqualTo(verdict == Verdict.OWN ? MessageState.CANCELLED : MessageState.PENDING);
  }

  private void start(boolean autoCommit) {
    if (pool != null) {
      pool.close();
    }
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    config.setMaximumPoolSize(4);
    config.setAutoCommit(autoCommit);
    pool = new HikariDataSource(config);
    JdbcSchema.create(pool);
    transaction()
        .executeWithoutResult(
            status -> new JdbcTemplate(pool).execute("CREATE TABLE orders (id BIGINT)"));
  }

  private TransactionTemplate transaction() {
    return new TransactionTemplate(new JdbcTransactionManager(pool));
  }

  private static MessageKey insert(JdbcDelayStore store) {
    MessageKey key = new MessageKey("timeout", UUID.randomUUID().toString());
    store.insert(
        List.of(
            new ScheduledMessage(
                key,
                null,
                "",
                "work",
                new byte[2],
                new byte[0],
                store.now().plus(Duration.ofDays(1)),
                Tracking.FULL)),
        null);
    return key;
  }

  /** As the application starts. */
  private static JdbcDelayStore wired(JdbcDelayStore store) {
    assertThat(new JdbcStoreWiring().pocketwatchSettleInTransaction(store)).isNotNull();
    return store;
  }

  private static DataSource routing(DataSource target) {
    AbstractRoutingDataSource routing =
        new AbstractRoutingDataSource() {
          @Override
          protected Object determineCurrentLookupKey() {
            return "orders";
          }
        };
    routing.setTargetDataSources(Map.of("orders", target));
    routing.afterPropertiesSet();
    return routing;
  }

  /** Has the thread's connection while it is in a transaction. */
  private static final class Enlisting extends DelegatingDataSource {
    private final boolean refuses;
    private final DataSource pool;

    Enlisting(DataSource pool, boolean refuses) {
      super(pool);
      this.pool = pool;
      this.refuses = refuses;
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (!TransactionSynchronizationManager.hasResource(pool)) {
        return pool.getConnection();
      }
      Connection bound = DataSourceUtils.getConnection(pool);
      return (Connection)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                boolean ends = List.of("commit", "rollback").contains(method.getName());
                if (ends && refuses) {
                  throw new SQLException("not allowed in a global transaction", "2D000");
                }
                if (method.getName().equals("close")) {
                  DataSourceUtils.releaseConnection(bound, pool);
                  return null;
                }
                try {
                  return method.invoke(bound, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }
}
