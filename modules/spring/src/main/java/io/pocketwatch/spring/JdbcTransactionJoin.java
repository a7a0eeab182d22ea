// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.spring.internal.TargetDataSource;
import io.pocketwatch.spring.internal.TransactionMark;
import io.pocketwatch.spring.internal.TransactionStep;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.store.jdbc.TransactionalPublisher.InTransaction;
import io.pocketwatch.tracking.TrackedPublisher;
import java.sql.Connection;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Joins Spring's transactions on the {@code DataSource} of the store. They are those of a {@code
 * JdbcTransactionManager}, or of a {@code JpaTransactionManager} that exposes its JDBC connection,
 * as with Hibernate. A message sent after the commit, as by a {@code TransactionSynchronization} or
 * a {@code @TransactionalEventListener} of that phase, is stored at once. A message sent in an
 * inner transaction of another manager, which commits first, is refused.
 *
 * <p>Spring reports the commit while the thread still has its connection, and a message sent then
 * is stored on another one. The thread's own cannot be used: a commit there would commit, and an
 * error roll back, what other synchronizations have begun on it. It may also be read-only, or
 * Hibernate may have given it back by then. So the pool needs more connections than threads that
 * send after a commit at the same time. With fewer they wait for each other until the pool's
 * timeout, and all sends are refused. A message sent within the transaction needs no second
 * connection.
 *
 * <p>Both cases are recognized where {@link io.pocketwatch.spring.wiring.JdbcStoreWiring} is used
 * and the managers are beans. Elsewhere a message sent in {@code afterCommit} is not stored, which
 * the log and the confirm say. A message sent in an inner transaction is confirmed when that one
 * commits.
 */
public final class JdbcTransactionJoin implements TransactionJoin {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcTransactionJoin.class);

  private final DataSource dataSource;
  private final TransactionalPublisher publisher;

  /**
   * @param publisher a publisher that was built with this store
   * @param store the publisher's store; the transactions are on the same {@code DataSource}
   */
  public JdbcTransactionJoin(TrackedPublisher publisher, JdbcDelayStore store) {
    this.dataSource = TargetDataSource.of(store.dataSource());
    this.publisher = new TransactionalPublisher(publisher, store);
  }

  @Override
  public boolean active() {
    // Without synchronization the transaction is over, as for a listener after its commit.
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.isSynchronizationActive()) {
      return false;
    }
    if (!TransactionSynchronizationManager.hasResource(dataSource)) {
      throw new DelayedSendException(
          "the active transaction%s is not on the store's data source (%s), so the message could"
                  .formatted(name(), dataSource)
              + " not be a part of it; send it outside, or use one data source for both");
    }
    TransactionMark mark = TransactionMark.of(dataSource);
    if (mark != null && mark.isOver()) {
      return false;
    }
    if (mark != null && !mark.isCurrent()) {
      throw new DelayedSendException(
          "the active transaction%s is inside of one on the store's data source, and another"
                  .formatted(name())
              + " manager's: it ends before that one does, and the message could be a part of that"
              + " one only; send it outside of the inner transaction");
    }
    return true;
  }

  private static String name() {
    String name = TransactionSynchronizationManager.getCurrentTransactionName();
    return name == null ? "" : " " + name;
  }

  @Override
  public void publish(DelayedMessage message, Consumer<@Nullable String> end) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    InTransaction stored;
    try {
      stored = publisher.publish(connection, message);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
    TransactionSynchronizationManager.registerSynchronization(new End(stored, end));
  }

  /** Follows the transaction; a rollback to a savepoint may undo the row alone. */
  private final class End extends TransactionStep {
    private final InTransaction stored;
    private final Consumer<@Nullable String> end;
    private boolean inTime;

    End(InTransaction stored, Consumer<@Nullable String> end) {
      this.stored = stored;
      this.end = end;
    }

    /** Runs first: an exception of another afterCommit would keep this from being called. */
    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public void beforeCompletion() {
      inTime = true;
    }

    /**
     * Also called for a message sent by the commit's own flush, but not for a message sent in
     * another afterCommit.
     */
    @Override
    public void afterCommit() {
      inTime = true;
    }

    @Override
    public void afterCompletion(int status) {
      if (status == STATUS_ROLLED_BACK || undone()) {
        end.accept("the transaction was rolled back");
      } else if (status != STATUS_COMMITTED) {
        end.accept("it is not known whether the transaction was committed");
      } else if (!inTime) {
        tooLate();
      } else {
        stored.committed();
        end.accept(null);
      }
    }

    /** The row is in a transaction of its own, which the connection's clean-up would commit. */
    private void tooLate() {
      String problem =
          "sent when the transaction was committed already, too late to be a part of it";
      if (!takenBack()) {
        problem += "; it may be stored all the same";
      }
      LOG.warn("{}: {}", stored.key(), problem); // the sender may not ask for confirms
      end.accept(problem);
    }

    private boolean takenBack() {
      if (!TransactionSynchronizationManager.hasResource(dataSource)) {
        return false;
      }
      try {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
          return stored.undo(connection);
        } finally {
          DataSourceUtils.releaseConnection(connection, dataSource);
        }
      } catch (RuntimeException e) { // of the database, or there is no transaction to undo it in
        LOG.warn("{} could not be taken back", stored.key(), e);
        return false;
      }
    }
  }
}
