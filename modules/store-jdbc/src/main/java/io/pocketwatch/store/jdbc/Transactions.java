// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreUnchangedException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs each piece of work in a READ COMMITTED transaction of its own. */
final class Transactions {
  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

  /** Deadlocks and lock time-outs end by themselves; more of them in a row are a fault. */
  private static final int ATTEMPTS = 10;

  /** What is done in a transaction. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  private final DataSource dataSource;
  private final Dialect dialect;

  Transactions(DataSource dataSource, Dialect dialect) {
    this.dataSource = dataSource;
    this.dialect = dialect;
  }

  <T> T run(String what, Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return inOneOfTheirs(work);
      } catch (UnansweredCommitException e) {
        throw new StoreException(
            "the database did not say whether it could " + what + ": " + Jdbc.words(e), e);
      } catch (SQLException e) {
        if (attempt == ATTEMPTS || !dialect.passing(e)) {
          throw new StoreUnchangedException(
              "the database could not " + what + ": " + Jdbc.words(e), e);
        }
        LOG.debug("again after attempt {} to {}: {}", attempt, what, e.getMessage());
      }
    }
  }

  private <T> T inOneOfTheirs(Work<T> work) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      return commit(connection, work);
    } finally {
      close(connection);
    }
  }

  private <T> T commit(Connection connection, Work<T> work) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    if (autoCommit) {
      connection.setAutoCommit(false);
    }
    try {
      dialect.beginReadCommitted(connection);
      T result = work.run(connection);
      send(connection);
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollback(connection, e);
      throw e;
    } finally {
      if (autoCommit) {
        restore(connection);
      }
    }
  }

  /** Until here nothing can have been kept; from here on only the database knows. */
  private void send(Connection connection) throws SQLException {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw dialect.passing(e) ? e : new UnansweredCommitException(e);
    }
  }

  private static void rollback(Connection connection, Throwable cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  /** What was done is done, whatever becomes of the connection. */
  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be closed: {}", e.getMessage());
    }
  }

  private static void restore(Connection connection) {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      LOG.debug("a connection could not go back to auto-commit: {}", e.getMessage());
    }
  }

  private static final class UnansweredCommitException extends SQLException {
    private static final long serialVersionUID = 1L;

    UnansweredCommitException(SQLException cause) {
      super(cause.getMessage(), cause.getSQLState(), cause);
    }
  }
}
