// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * Root of everything Pocketwatch throws. The message says what, which id or name, and what to do.
 */
public abstract class PocketwatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  protected PocketwatchException(String message) {
    super(message);
  }

  protected PocketwatchException(String message, Throwable cause) {
    super(message, cause);
  }
}
