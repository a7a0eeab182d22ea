// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.store.jdbc.TransactionalPublisher.InTransaction;
import java.sql.Connection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Joins transactions of Spring on the {@code DataSource} of the store: those of a {@code
 * JdbcTransactionManager}, and of a {@code JpaTransactionManager} that exposes its JDBC connection,
 * as it does with Hibernate.
 */
public final class JdbcTransactionJoin implements TransactionJoin {
  private final DataSource dataSource;
  private final TransactionalPublisher publisher;

  /**
   * @param dataSource what the transactions and the store are on
   */
  public JdbcTransactionJoin(DataSource dataSource, TransactionalPublisher publisher) {
    this.dataSource = dataSource;
    this.publisher = publisher;
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
  private static final class End implements TransactionSynchronization {
    private final InTransaction stored;
    private final Consumer<@Nullable String> end;
    private final Set<Object> laterSavepoints = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean inTime;
    private boolean undone;

    End(InTransaction stored, Consumer<@Nullable String> end) {
      this.stored = stored;
      this.end = end;
    }

    /** Not called if it was sent from another's afterCommit. */
    @Override
    public void beforeCommit(boolean readOnly) {
      inTime = true;
    }

    @Override
    public void savepoint(Object savepoint) {
      laterSavepoints.add(savepoint);
    }

    /** One that is older than the row takes the row with it. */
    @Override
    public void savepointRollback(Object savepoint) {
      undone |= !laterSavepoints.contains(savepoint);
    }

    @Override
    public void afterCompletion(int status) {
      if (status == STATUS_ROLLED_BACK || undone) {
        end.accept("the transaction was rolled back");
      } else if (status != STATUS_COMMITTED) {
        end.accept("it is not known whether the transaction was committed");
      } else if (!inTime) {
        end.accept("sent when the transaction was committed already, too late to be a part of it");
      } else {
        stored.committed();
        end.accept(null);
      }
    }
  }
}
