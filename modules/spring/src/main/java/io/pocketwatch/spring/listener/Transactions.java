// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import java.util.Collection;
import java.util.function.Consumer;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction around the listener: of the container's transaction manager, or of an advice. Its
 * work is not done before it has committed, and rows it has locked cannot be settled before.
 */
final class Transactions {
  private Transactions() {}

  static boolean active() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  /** Whether the channel tells the broker nothing before it commits. */
  static boolean transacted(Channel channel) {
    return channel instanceof ChannelProxy proxy && proxy.isTransactional();
  }

  /** What was handled is settled if it commits, and released if not. */
  static void settleAfterCompletion(Collection<InHand> hands) {
    afterCompletion(committed -> hands.forEach(committed ? InHand::settle : InHand::abandon));
  }

  /**
   * Of a transaction that ends in the listener: when that has returned.
   *
   * @param end is told whether it committed
   */
  static void afterCompletion(Consumer<Boolean> end) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            boolean committed = status == STATUS_COMMITTED;
            AfterListener.run(committed, () -> end.accept(committed));
          }
        });
  }
}
