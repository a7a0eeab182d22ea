// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Has every transaction manager of an application mark its transactions on a JDBC connection with a
 * {@link TransactionMark}. Declare it as a {@code static} bean.
 */
public final class MarkingTransactions implements BeanPostProcessor {
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
