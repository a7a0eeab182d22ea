// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.util.function.Consumer;
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

  /**
   * @param end is told whether it committed
   */
  static void afterCompletion(Consumer<Boolean> end) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            end.accept(status == STATUS_COMMITTED);
          }
        });
  }
}
