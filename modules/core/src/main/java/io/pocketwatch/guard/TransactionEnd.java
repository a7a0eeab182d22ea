// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.util.function.Consumer;

/**
 * The transaction that a consumer's thread is in, of its database for example; for frameworks. What
 * is acknowledged in one is settled when it has committed, and given back when it has not.
 */
@FunctionalInterface
public interface TransactionEnd {
  /** There are none. */
  TransactionEnd NONE = then -> false;

  /**
   * Has the end of this thread's transaction told.
   *
   * @param then is told whether it has committed, after that
   * @return false if there is no transaction; nothing is told then
   */
  boolean tell(Consumer<Boolean> then);
}
