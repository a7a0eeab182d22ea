// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import reactor.core.publisher.Mono;

/** Transactions that a stored message could not be a part of stop the start. */
class JdbcStoreWiringTest {
  private final DataSource ours =
      new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
  private final StaticListableBeanFactory beans = new StaticListableBeanFactory();

  JdbcStoreWiringTest() {
    JdbcSchema.create(ours);
    beans.addBean("orders", ours);
  }

  @Test
  void one_on_another_data_source_is_named_with_both() {
    DataSource other = new DriverManagerDataSource("jdbc:h2:mem:other");
    beans.addBean("archive", other);
    beans.addBean("manager", new JdbcTransactionManager(other));
    assertThatThrownBy(this::join)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'manager' are on data source 'archive'")
        .hasMessageContaining("store on 'orders'");
  }

  @Test
  void reactive_ones_are_refused_with_the_way_out() {
    beans.addBean("reactive", new Reactive());
    assertThatThrownBy(this::join)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("reactive ('reactive')")
        .hasMessageContaining("Define a JdbcTransactionManager on 'orders'");
  }

  @Test
  void a_store_that_would_join_them_itself_is_refused_with_the_way_out() {
    DataSource joining = new TransactionAwareDataSourceProxy(ours);
    assertThatThrownBy(() -> join(JdbcDelayStore.builder(joining).build()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("TransactionAwareDataSourceProxy")
        .hasMessageContaining("Build the JdbcDelayStore over what the proxy is for: the pool");
  }

  private void join() {
    join(JdbcDelayStore.builder(ours).build());
  }

  /** The publisher is not reached. */
  @SuppressWarnings("NullAway")
  private void join(JdbcDelayStore store) {
    Objects.requireNonNull(
        new JdbcStoreWiring()
            .pocketwatchTransactionJoin(
                null,
                store,
                beans,
                beans.getBeanProvider(PlatformTransactionManager.class),
                beans.getBeanProvider(ReactiveTransactionManager.class)));
  }

  private static final class Reactive implements ReactiveTransactionManager {
    @Override
    public Mono<ReactiveTransaction> getReactiveTransaction(TransactionDefinition definition) {
      return Mono.empty();
    }

    @Override
    public Mono<Void> commit(ReactiveTransaction transaction) {
      return Mono.empty();
    }

    @Override
    public Mono<Void> rollback(ReactiveTransaction transaction) {
      return Mono.empty();
    }
  }
}
