// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/**
 * The store did not do what it was asked, and certainly nothing of it: the database was not
 * reached, or the transaction failed before its commit was sent. Any other {@link StoreException}
 * may have left the change behind.
 */
public class StoreUnchangedException extends StoreException {
  private static final long serialVersionUID = 1L;

  public StoreUnchangedException(String message, Throwable cause) {
    super(message, cause);
  }
}
