// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** What Spring's transaction managers bind a connection to. */
public final class TargetDataSource {
  private TargetDataSource() {}

  /**
   * As they do, sees through a {@link TransactionAwareDataSourceProxy} and through nothing else:
   * behind another proxy no connection is bound.
   */
  public static DataSource of(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : dataSource;
  }
}
