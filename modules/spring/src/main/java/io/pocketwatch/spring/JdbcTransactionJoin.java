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
 * Joins transactions of Spring on the {@code DataSource} of the store. They are those of a {@code
 * JdbcTransactionManager}, or of a {@code JpaTransactionManager} that exposes its JDBC connection,
 * as with Hibernate. What is sent after the commit is stored at once: by a {@code
 * TransactionSynchronization}, or a {@code @TransactionalEventListener} of that phase. What is sent
 * in a transaction that another manager has begun inside of it, and that commits before it, is
 * refused.
 *
 * <p>Spring tells of the commit while the thread still has its connection, and what is sent then is
 * stored on another one. The connection of the thread cannot be used for it. A commit there would
 * commit, and an error roll back, what other synchronizations have begun on it. It may also be
 * read-only, or Hibernate may have given it back by then. So a pool needs more connections than
 * there are threads that send after their commit at a time. With fewer they wait for each other
 * until its patience ends, and all sends are refused. What is sent in the transaction needs no
 * other connection.
 *
 * <p>Both are seen where {@link io.pocketwatch.spring.wiring.JdbcStoreWiring} is, and the managers
 * are beans. Elsewhere what an {@code afterCommit} sends is not kept, which the log and the confirm
 * say. What is sent in an inner transaction then counts as committed with that one.
 */
public final class JdbcTransactionJoin implements TransactionJoin {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcTransactionJoin.class);

  private final DataSource dataSource;
  private final TransactionalPublisher publisher;

  /**
   * @param publisher a publisher that was built with this store
   * @param store what it stores in; the transactions are on the same {@code DataSource}
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

  /** Hears how the transaction goes, in which the row can be undone without it. */
  private final class End extends TransactionStep {
    private final InTransaction stored;
    private final Consumer<@Nullable String> end;
    private boolean inTime;

    End(InTransaction stored, Consumer<@Nullable String> end) {
      this.stored = stored;
      this.end = end;
    }

    /** Before another's afterCommit, whose exception would keep this from being called. */
    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public void beforeCompletion() {
      inTime = true;
    }

    /**
     * Also called if it was sent as late as by the commit's own flush, and not if it was sent from
     * another's afterCommit.
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
      LOG.warn("{}: {}", stored.key(), problem); // who sent it may not ask for confirms
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
