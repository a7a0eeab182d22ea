// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Screen;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Shows failures that say what to do by their message, and any other with its stack trace. */
public final class CommandFailures implements IExecutionExceptionHandler {

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine command, ParseResult parseResult) throws Exception {
    int exitCode = exitCode(failure);
    // The lines of a configuration begin with its name, as editors and build servers expect.
    String program = failure instanceof InvalidConfigurationException ? "" : "pocketwatch: ";
    Screen.of(command).failure(program + ErrorWords.of(failure));
    return exitCode;
  }

  private static int exitCode(Exception failure) throws Exception {
    if (failure instanceof CommandFailedException failed) {
      return failed.exitCode();
    }
    if (failure instanceof InvalidConfigurationException) {
      return ExitCodes.USAGE;
    }
    if (failure instanceof BrokerUnreachableException) {
      return ExitCodes.NO_BROKER;
    }
    if (failure instanceof PocketwatchException) {
      return ExitCodes.FAILED;
    }
    throw failure;
  }
}
