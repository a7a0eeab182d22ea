// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import picocli.CommandLine.Option;

/** {@code --help} for subcommands, where {@code --version} can mean a broker's. */
public final class HelpOption {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  private boolean asked;

  /** Whether help was asked for; the command itself does not run then. */
  public boolean asked() {
    return asked;
  }
}
