// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.util.function.Consumer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction of a thread, as Spring knows it: of a container, an advice or a listener. */
final class SpringTransaction {
  private SpringTransaction() {}

  static boolean isActive() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  /**
   * Reports the end of the transaction; false if there is none. A savepoint's rollback is no end.
   *
   * @param then receives whether the transaction has committed
   */
  static boolean tell(Consumer<Boolean> then) {
    if (!isActive()) {
      return false;
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            then.accept(status == STATUS_COMMITTED);
          }
        });
    return true;
  }
}
