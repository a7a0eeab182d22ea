// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the range of an option. */
public final class Within {
  private Within() {}

  /**
   * Returns the value if it is in its range.
   *
   * @param option its name, for the message
   * @throws ParameterException otherwise; it names the option, the value and the limits
   */
  public static int require(CommandSpec spec, String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), "%s %s is not within %s to %s".formatted(option, value, least, most));
    }
    return value;
  }
}
