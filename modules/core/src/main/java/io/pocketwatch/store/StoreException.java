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
}
