// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.RowLockedException;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each piece of work in a READ COMMITTED transaction of its own. A transaction that it did not
 * begin it neither commits nor rolls back.
 */
final class Transactions {
  static final String NOT_OURS =
      "its connection is in a transaction that the store did not begin, and does not end. Build the"
          + " store over the pool itself, not over a data source that joins transactions, such as"
          + " Spring's TransactionAwareDataSourceProxy or one of JTA";

  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

  /** The most tries: deadlocks and lock time-outs are transient; so many in a row are a fault. */
  private static final int ATTEMPTS = 10;

  /** Work in a transaction. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  private final DataSource dataSource;
  private final Dialect dialect;
  private final int timeoutMillis;
  private final LostCommits lostCommits;

  /** Whether the data source is known to hand out connections in auto-commit mode. */
  private volatile boolean autoCommits;

  /**
   * @param autoCommits whether a connection of the data source was in auto-commit mode
   * @param timeout the longest wait for the answer to a statement, after which its connection is
   *     given up. Otherwise one hung connection would stop all callers that wait for it
   */
  Transactions(
      DataSource dataSource,
      Dialect dialect,
      boolean autoCommits,
      Duration timeout,
      LostCommits lostCommits) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.lostCommits = lostCommits;
    this.autoCommits = autoCommits;
    this.timeoutMillis = Math.toIntExact(timeout.toMillis());
  }

  <T> T run(String what, Work<T> work) {
    return run(what, null, work);
  }

  /**
   * @param lockWait the longest wait for a lock, or null for the database's default
   * @throws RowLockedException if the wait was longer
   */
  <T> T run(String what, @Nullable Duration lockWait, Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return inOneOfTheirs(lockWait, work);
      } catch (UnansweredCommitException e) {
        throw new StoreException(
            "the database did not say whether it could " + what + ": " + Jdbc.words(e), e);
      } catch (SQLException e) {
        if (lockWait != null && dialect.lockedOut(e)) {
          throw new RowLockedException(
              "somebody else's open transaction did not let us " + what, e);
        }
        if (attempt == ATTEMPTS
            || !(e instanceof SQLTransactionRollbackException || dialect.passing(e))) {
          throw new StoreUnchangedException(
              "the database could not " + what + ": " + Jdbc.words(e), e);
        }
        LOG.debug("again after attempt {} to {}: {}", attempt, what, ErrorWords.of(e));
      }
    }
  }

  /** As {@link #run} for changes that callers count on: {@link LostCommits} hears of some. */
  <T> T write(String what, Work<T> work) {
    return write(what, null, work);
  }

  /** The same with a limit for waiting. */
  <T> T write(String what, @Nullable Duration lockWait, Work<T> work) {
    Written<T> written =
        run(
            what,
            lockWait,
            connection -> new Written<>(work.run(connection), lostCommits.ask(connection)));
    if (written.position() != null) {
      lostCommits.confirmed(written.position());
    }
    return written.result();
  }

  private record Written<T>(T result, LostCommits.@Nullable Position position) {}

  private <T> T inOneOfTheirs(@Nullable Duration lockWait, Work<T> work) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      int usual = connection.getNetworkTimeout();
      boolean shorten = usual == 0 || usual > timeoutMillis;
      if (shorten) {
        connection.setNetworkTimeout(Runnable::run, timeoutMillis);
      }
      try {
        return commit(connection, lockWait, work);
      } finally {
        if (shorten) {
          restoreTimeout(connection, usual);
        }
      }
    } finally {
      close(connection);
    }
  }

  private static void restoreTimeout(Connection connection, int millis) {
    try {
      connection.setNetworkTimeout(Runnable::run, millis);
    } catch (SQLException e) { // the connection is broken, as its pool will notice
      LOG.debug("a connection keeps its network timeout: {}", ErrorWords.of(e));
    }
  }

  private <T> T commit(Connection connection, @Nullable Duration lockWait, Work<T> work)
      throws SQLException {
    boolean autoCommit = begin(connection);
    try {
      dialect.beginReadCommitted(connection);
      if (lockWait != null) {
        dialect.limitLockWait(connection, lockWait);
      }
      T result = work.run(connection);
      send(connection);
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollback(connection, e);
      throw e;
    } finally {
      if (lockWait != null) {
        restoreLockWait(connection);
      }
      if (autoCommit) {
        restore(connection);
      }
    }
  }

  /**
   * A pool either hands out each connection in auto-commit mode or none. So one without is in a
   * transaction already if others came with it. Where none does, the database is asked.
   *
   * @return whether the connection was in auto-commit mode
   * @throws SQLException if the transaction is somebody else's
   */
  private boolean begin(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      autoCommits = true;
      connection.setAutoCommit(false);
      return true;
    }
    if (autoCommits || dialect.inTransaction(connection)) {
      throw new SQLException(NOT_OURS, "25001");
    }
    return false;
  }

  private void restoreLockWait(Connection connection) {
    try {
      dialect.restoreLockWait(connection);
    } catch (SQLException e) {
      LOG.debug("a connection keeps its limit for lock waits: {}", ErrorWords.of(e));
    }
  }

  /** Sends the commit. Before this nothing can be committed; after it only the database knows. */
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

  /** The work is done, whatever happens to the connection. */
  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be closed: {}", ErrorWords.of(e));
    }
  }

  private static void restore(Connection connection) {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      LOG.debug("a connection could not go back to auto-commit: {}", ErrorWords.of(e));
    }
  }

  private static final class UnansweredCommitException extends SQLException {
    private static final long serialVersionUID = 1L;

    UnansweredCommitException(SQLException cause) {
      super(ErrorWords.of(cause), cause.getSQLState(), cause);
    }
  }
}
