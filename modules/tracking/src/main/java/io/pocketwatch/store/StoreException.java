// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.PocketwatchException;

/**
 * The database did not answer, or not as it should; what was asked may or may not have happened.
 */
public class StoreException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreException(String message) {
    super(message);
  }

  /**
   * The store certainly did nothing of what it was asked. The database was not reached, or the
   * transaction failed before its commit was sent. Any other {@link StoreException} may have left
   * the change behind.
   */
  public static class StoreUnchangedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreUnchangedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Nothing was changed, because a transaction of somebody else holds one of the rows for long. */
  public static final class RowLockedException extends StoreUnchangedException {
    private static final long serialVersionUID = 1L;

    public RowLockedException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
