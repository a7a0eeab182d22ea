// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

/** Thrown if a command cannot go on, for a reason that fits into its message. */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CommandFailedException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public CommandFailedException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** One of {@link ExitCodes}. */
  public int exitCode() {
    return exitCode;
  }
}
