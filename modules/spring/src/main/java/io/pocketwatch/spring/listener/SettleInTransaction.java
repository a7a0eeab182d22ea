// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.guard.OvertakenException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.spring.internal.TargetDataSource;
import io.pocketwatch.spring.internal.TransactionMark;
import io.pocketwatch.spring.internal.TransactionStep;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Settles a listener's message in the listener's own Spring transaction. Effect and settle are
 * committed together or not at all, so the effect in that database happens once. Thread-safe.
 *
 * <pre>{@code
 * @RabbitListener(queues = "order.timeout")
 * @Transactional
 * void timedOut(Order order) {
 *   orders.cancel(order);
 *   settle.settle();
 * }
 * }</pre>
 *
 * The transaction must be one of the store's database, through the same {@code DataSource}.
 */
public final class SettleInTransaction {
  private final DataSource dataSource;

  /**
   * @param store the guard's store; its {@code DataSource} is that of the transaction manager
   */
  public SettleInTransaction(JdbcDelayStore store) {
    this.dataSource = TargetDataSource.of(store.dataSource());
  }

  /**
   * Settles the message that this thread's listener handles, or each message of its batch. The rows
   * are locked until the transaction ends. The rollback of a nested transaction undoes the settle.
   * A message without a row is left alone.
   *
   * @throws IllegalStateException outside of a guarded listener, or if this thread has no
   *     transaction on that {@code DataSource}. An inner transaction of another manager is refused
   *     too
   * @throws ImmediateRequeueAmqpException if the handling was taken over in the meantime; let it
   *     roll the transaction back
   */
  public void settle() {
    if (DeliveryInProgress.all().isEmpty()) {
      DeliveryInProgress.current(); // says why
    }
    DeliveryInProgress.all().forEach(this::settle);
  }

  /** As {@link #settle()}, for one message of a batch, or on the thread it was handed to. */
  public void settle(DeliveryInProgress delivery) {
    delivery.handling().ifPresent(handling -> settle(delivery, handling));
  }

  private void settle(DeliveryInProgress delivery, Handling handling) {
    TransactionMark mark = TransactionMark.of(dataSource);
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.hasResource(dataSource)
        || mark != null && mark.isOver()) {
      throw new IllegalStateException(
          "cannot settle %s: this thread has no transaction on the DataSource %s; is the listener"
                  .formatted(handling.key(), dataSource)
              + " @Transactional, by a transaction manager of that DataSource?");
    }
    if (mark != null && !mark.isCurrent()) {
      throw new IllegalStateException(
          "cannot settle %s: the active transaction is inside of one on the DataSource %s, and"
                  .formatted(handling.key(), dataSource)
              + " another manager's, which ends before that one does; settle outside of the inner"
              + " transaction");
    }
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      delivery.settleIn(connection);
    } catch (OvertakenException e) {
      throw new ImmediateRequeueAmqpException(ErrorWords.of(e), e);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionStep() {
          @Override
          public void afterCommit() {
            if (undone()) {
              delivery.settleUndone();
            }
          }
        });
  }
}
