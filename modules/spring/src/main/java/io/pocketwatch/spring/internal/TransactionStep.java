// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Hears how a transaction goes, in which one step of it can be undone without it: back to a
 * savepoint, as a nested transaction is. Registered right after that step; for one thread.
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

  /** One that is older than the step takes the step with it. */
  @Override
  public final void savepointRollback(Object savepoint) {
    undone |= !laterSavepoints.contains(savepoint);
  }
}
