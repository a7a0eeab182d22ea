// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.spring.JdbcTransactionJoin;
import io.pocketwatch.spring.TransactionJoin;
import io.pocketwatch.spring.internal.TargetDataSource;
import io.pocketwatch.spring.internal.TransactionMark;
import io.pocketwatch.spring.listener.SettleInTransaction;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/**
 * Beans for a store in the application's own {@code DataSource}, which join its transactions. The
 * guard is in {@link JdbcGuardWiring}.
 */
@Configuration(proxyBeanMethods = false)
public class JdbcStoreWiring {
  /**
   * Builds a store in a {@code DataSource} of the application. The store's own work is in its own
   * transactions, even where a proxy would make it join the caller's.
   *
   * @param tablePrefix what the names of the tables begin with
   * @throws io.pocketwatch.store.StoreException if the tables are missing or of another version
   * @throws IllegalStateException if such a proxy is behind another proxy
   */
  public static JdbcDelayStore store(DataSource dataSource, String tablePrefix) {
    DataSource target = TargetDataSource.of(dataSource);
    requireOwnTransactions(target);
    return JdbcDelayStore.builder(target).tablePrefix(tablePrefix).build();
  }

  private static void requireOwnTransactions(DataSource dataSource) {
    if (TargetDataSource.joinsTransactions(dataSource)) {
      throw new IllegalStateException(
          ("the store's data source (%s) is or holds a TransactionAwareDataSourceProxy. A cancel in"
                  + " a transaction of yours would be a part of that, and the store does not work"
                  + " so. Build the JdbcDelayStore over what the proxy is for: the pool")
              .formatted(dataSource));
    }
  }

  /** Finds, cancels and reschedules messages; hands off at once what is then due soon. */
  @Bean
  @Primary
  SchedulingStore pocketwatchMessages(DelayedPublisher publisher) {
    return TrackedPublisher.of(publisher).store();
  }

  /**
   * @throws IllegalStateException if the application's only transaction manager is on another data
   *     source than the store, or if it has reactive ones only. Or if the store's data source joins
   *     the caller's transactions
   */
  @Bean
  TransactionJoin pocketwatchTransactionJoin(
      DelayedPublisher publisher,
      JdbcDelayStore store,
      ListableBeanFactory beans,
      ObjectProvider<PlatformTransactionManager> transactionManagers,
      ObjectProvider<ReactiveTransactionManager> reactiveManagers) {
    requireOwnTransactions(store.dataSource());
    DataSource dataSource = store.dataSource();
    PlatformTransactionManager manager = transactionManagers.getIfUnique();
    ReactiveTransactionManager reactive = reactiveManagers.stream().findFirst().orElse(null);
    if (reactive != null && transactionManagers.stream().findAny().isEmpty()) {
      throw new IllegalStateException(
          ("transactions here are reactive ('%s'), and what is stored by JDBC cannot be a part"
                  + " of them. Define a JdbcTransactionManager on '%s' for the code that sends")
              .formatted(
                  name(beans, ReactiveTransactionManager.class, reactive),
                  name(beans, DataSource.class, dataSource)));
    }
    if (manager instanceof ResourceTransactionManager resource
        && resource.getResourceFactory() instanceof DataSource other
        && TargetDataSource.of(other) != dataSource) {
      throw new IllegalStateException(
          ("transactions of '%s' are on data source '%s', Pocketwatch's store on '%s'. Messages"
                  + " could not be a part of them; give both the same data source")
              .formatted(
                  name(beans, PlatformTransactionManager.class, manager),
                  name(beans, DataSource.class, other),
                  name(beans, DataSource.class, dataSource)));
    }
    return new JdbcTransactionJoin(TrackedPublisher.of(publisher), store);
  }

  /** Static: it is made before all transaction managers. */
  @Bean
  static TransactionMark.PostProcessor pocketwatchTransactionMarks() {
    return new TransactionMark.PostProcessor();
  }

  /** For listeners whose effect is in the store's database: effect and settle commit together. */
  @Bean
  SettleInTransaction pocketwatchSettleInTransaction(JdbcDelayStore store) {
    requireOwnTransactions(store.dataSource());
    return new SettleInTransaction(store);
  }

  private static boolean same(Object one, Object other) {
    return one == other || one instanceof DataSource data && TargetDataSource.of(data) == other;
  }

  private static <T> String name(ListableBeanFactory beans, Class<T> type, T bean) {
    return beans.getBeansOfType(type, false, false).entrySet().stream()
        .filter(entry -> same(entry.getValue(), bean))
        .map(java.util.Map.Entry::getKey)
        .findFirst()
        .orElseGet(bean::toString);
  }
}
