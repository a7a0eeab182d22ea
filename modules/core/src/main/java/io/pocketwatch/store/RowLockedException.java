// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/** Nothing was changed, because a transaction of somebody else holds one of the rows for long. */
public final class RowLockedException extends StoreUnchangedException {
  private static final long serialVersionUID = 1L;

  public RowLockedException(String message, Throwable cause) {
    super(message, cause);
  }
}
