// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** The connection of a transaction is looked for where Spring's transaction manager puts it. */
class TargetDataSourceTest {
  private final DataSource pool = new DriverManagerDataSource("jdbc:h2:mem:pool");

  @Test
  void is_seen_through_what_joins_transactions() {
    assertThat(TargetDataSource.of(new TransactionAwareDataSourceProxy(pool))).isSameAs(pool);
    assertThat(TargetDataSource.of(pool)).isSameAs(pool);
  }

  @Test
  void is_what_the_transaction_manager_takes_for_it() {
    DataSource lazy = new LazyConnectionDataSourceProxy(pool);
    DataSource aware = new TransactionAwareDataSourceProxy(pool);
    for (DataSource given :
        new DataSource[] {
          pool,
          aware,
          lazy,
          new TransactionAwareDataSourceProxy(lazy),
          new TransactionAwareDataSourceProxy(aware)
        }) {
      assertThat(TargetDataSource.of(given))
          .isSameAs(new DataSourceTransactionManager(given).getDataSource());
    }
  }

  @Test
  void is_a_proxy_itself_that_has_none() {
    DataSource empty = new TransactionAwareDataSourceProxy();
    assertThat(TargetDataSource.of(empty)).isSameAs(empty);
  }

  @Test
  void is_told_from_what_gives_the_connection_of_the_callers_transaction() {
    DataSource aware = new TransactionAwareDataSourceProxy(pool);
    for (DataSource joining :
        new DataSource[] {
          aware,
          new LazyConnectionDataSourceProxy(aware),
          routing(pool, aware),
          routing(aware, pool)
        }) {
      assertThat(TargetDataSource.joinsTransactions(joining)).isTrue();
    }
    for (DataSource apart :
        new DataSource[] {
          pool,
          new LazyConnectionDataSourceProxy(pool),
          new DelegatingDataSource(),
          routing(pool, pool)
        }) {
      assertThat(TargetDataSource.joinsTransactions(apart)).isFalse();
    }
  }

  private static DataSource routing(DataSource usual, DataSource other) {
    AbstractRoutingDataSource routing =
        new AbstractRoutingDataSource() {
          @Override
          protected Object determineCurrentLookupKey() {
            return "no other";
          }
        };
    routing.setDefaultTargetDataSource(usual);
    routing.setTargetDataSources(Map.of("other", other));
    routing.afterPropertiesSet();
    return routing;
  }
}
