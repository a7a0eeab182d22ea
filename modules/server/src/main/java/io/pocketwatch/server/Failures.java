// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.localbroker.BrokerControlException;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.route.InvalidConfigurationException;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Screen;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Failures that say what to do are shown in their own words; any other with its stack trace. */
final class Failures implements IExecutionExceptionHandler {

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine command, ParseResult parseResult) throws Exception {
    int exitCode = exitCode(failure);
    Screen.of(command).failure(words(failure));
    return exitCode;
  }

  private static int exitCode(Exception failure) throws Exception {
    if (failure instanceof CommandFailedException failed) {
      return failed.exitCode();
    }
    if (failure instanceof InvalidConfigurationException) {
      return ExitCodes.USAGE;
    }
    if (failure instanceof BrokerUnavailableException
        || failure instanceof BrokerUnreachableException) {
      return ExitCodes.NO_BROKER;
    }
    if (failure instanceof PocketwatchException || failure instanceof BrokerControlException) {
      return ExitCodes.FAILED;
    }
    throw failure;
  }

  private static String words(Exception failure) {
    Throwable cause = failure.getCause();
    // "cannot write FILE" alone leaves the reader asking why.
    String why = failure instanceof BrokerControlException && cause != null ? ": " + cause : "";
    return "pocketwatch: " + failure.getMessage() + why;
  }
}
