// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

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
}
