// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * The superclass of our exceptions. The message names the fault, the id or name, and what to do.
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
