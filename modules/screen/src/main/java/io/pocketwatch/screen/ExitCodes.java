// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

/** The exit codes of commands. */
public final class ExitCodes {
  public static final int DONE = 0;
  public static final int FAILED = 1;
  public static final int USAGE = 2;
  public static final int NO_BROKER = 3;

  private ExitCodes() {}
}
