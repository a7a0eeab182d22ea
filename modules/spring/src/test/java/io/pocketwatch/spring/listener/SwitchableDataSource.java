// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A data source whose database can seem to be away. */
final class SwitchableDataSource extends DelegatingDataSource {
  private volatile boolean down;

  SwitchableDataSource(DataSource delegate) {
    super(delegate);
  }

  /** Whether connections asked for from now on fail. */
  void down(boolean down) {
    this.down = down;
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (down) {
      throw new SQLNonTransientConnectionException("the database is away", "08001");
    }
    return super.getConnection();
  }
}
