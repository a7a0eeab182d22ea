// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A data source whose database can seem to be away. */
public final class SwitchableDataSource implements DataSource {
  private final DataSource delegate;
  private volatile boolean down;
  private volatile CountDownLatch answers = new CountDownLatch(0);

  public SwitchableDataSource(DataSource delegate) {
    this.delegate = delegate;
  }

  /** Whether connections asked for from now on fail. */
  public void down(boolean down) {
    this.down = down;
  }

  /** Whether nobody gets a connection, nor an error, until it answers again. */
  public void silent(boolean silent) {
    answers.countDown();
    answers = new CountDownLatch(silent ? 1 : 0);
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      answers.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted", e);
    }
    if (down) {
      throw new SQLNonTransientConnectionException("the database is away", "08001");
    }
    return delegate.getConnection();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return delegate.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    delegate.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    delegate.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return delegate.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return delegate.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return delegate.isWrapperFor(type);
  }
}
