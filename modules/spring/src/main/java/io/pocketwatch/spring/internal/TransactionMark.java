// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks which transaction a bound connection is in. Spring does not tell: an inner transaction of
 * another manager has synchronizations of its own, while the connection stays bound. Set by {@link
 * PostProcessor}; for one thread.
 */
public final class TransactionMark implements TransactionSynchronization {
  private static final Map<ConnectionHolder, TransactionMark> MARKS =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** The mark of an enclosing transaction on the same connection, as with JDBC inside of JPA. */
  private final @Nullable TransactionMark outer;

  private boolean suspended;
  private boolean over;

  private TransactionMark(ConnectionHolder connection) {
    outer = live(MARKS.put(connection, this));
  }

  /**
   * The mark of the connection that this thread has for the data source; null if there is none or
   * its manager sets no marks.
   */
  public static @Nullable TransactionMark of(DataSource dataSource) {
    return TransactionSynchronizationManager.getResource(dataSource)
            instanceof ConnectionHolder connection
        ? live(MARKS.get(connection))
        : null;
  }

  private static @Nullable TransactionMark live(@Nullable TransactionMark mark) {
    return mark != null && mark.over && mark.outer != null ? live(mark.outer) : mark;
  }

  /**
   * Whether it is this transaction that ends next on this thread. Not looked up among the thread's
   * synchronizations: they would be sorted each time, and each message adds one.
   */
  public boolean isCurrent() {
    return !suspended && TransactionSynchronizationManager.isSynchronizationActive();
  }

  /** Whether it has committed, or been rolled back, though its connection is still there. */
  public boolean isOver() {
    return over;
  }

  /** Also called when another manager begins a transaction inside of this one. */
  @Override
  public void suspend() {
    suspended = true;
  }

  @Override
  public void resume() {
    suspended = false;
  }

  /** Runs before any other afterCommit. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public void afterCommit() {
    over = true;
  }

  @Override
  public void afterCompletion(int status) {
    over = true;
  }

  /**
   * Has every transaction manager of an application mark its transactions on a JDBC connection.
   * Declare it as a {@code static} bean.
   */
  public static final class PostProcessor implements BeanPostProcessor {
    /** No bean, which Boot would add to its managers, too. */
    private final TransactionExecutionListener marking = new Marking();

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      if (bean instanceof ConfigurableTransactionManager manager) {
        List<TransactionExecutionListener> all =
            new ArrayList<>(manager.getTransactionExecutionListeners());
        all.add(marking);
        manager.setTransactionExecutionListeners(all);
      }
      return bean;
    }
  }

  private static final class Marking implements TransactionExecutionListener {
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      if (failure == null
          && transaction.isNewTransaction() // told of savepoints, too
          && TransactionSynchronizationManager.isSynchronizationActive()
          && transaction instanceof DefaultTransactionStatus status
          && status.getTransaction() instanceof JdbcTransactionObjectSupport begun
          && begun.hasConnectionHolder()) {
        TransactionSynchronizationManager.registerSynchronization(
            new TransactionMark(begun.getConnectionHolder()));
      }
    }
  }
}
