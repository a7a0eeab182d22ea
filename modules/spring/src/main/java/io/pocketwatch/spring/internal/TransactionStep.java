// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Follows a transaction in which one step can be undone alone: by a rollback to a savepoint, as of
 * a nested transaction. To be registered right after that step; for one thread.
 */
public abstract class TransactionStep implements TransactionSynchronization {
  private final Set<Object> laterSavepoints = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean undone;

  /** Whether the step was rolled back, however the transaction ends. */
  protected final boolean undone() {
    return undone;
  }

  @Override
  public final void savepoint(Object savepoint) {
    laterSavepoints.add(savepoint);
  }

  /** A rollback to a savepoint that is older than the step undoes it. */
  @Override
  public final void savepointRollback(Object savepoint) {
    undone |= !laterSavepoints.contains(savepoint);
  }
}
