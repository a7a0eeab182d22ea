// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** The {@code DataSource} that Spring's transaction managers bind a connection to. */
public final class TargetDataSource {
  private TargetDataSource() {}

  /**
   * Unwraps a {@link TransactionAwareDataSourceProxy} and nothing else, as the managers do: behind
   * another proxy no connection is bound.
   */
  public static DataSource of(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : dataSource;
  }

  /**
   * Whether its connections may be those of the thread's transaction: it is a {@link
   * TransactionAwareDataSourceProxy}, or one is behind it.
   */
  public static boolean joinsTransactions(@Nullable DataSource dataSource) {
    if (dataSource instanceof TransactionAwareDataSourceProxy) {
      return true;
    }
    if (dataSource instanceof DelegatingDataSource proxy) {
      return joinsTransactions(proxy.getTargetDataSource());
    }
    return dataSource instanceof AbstractRoutingDataSource routing
        && (joinsTransactions(routing.getResolvedDefaultDataSource())
            || routing.getResolvedDataSources().values().stream()
                .anyMatch(TargetDataSource::joinsTransactions));
  }
}
