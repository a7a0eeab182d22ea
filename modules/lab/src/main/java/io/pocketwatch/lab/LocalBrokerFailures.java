// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.localbroker.BrokerControlException;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Failures of brokers that are started here are shown in their own words.
 *
 * @param others shows all others, and these once they are failures of a command
 */
record LocalBrokerFailures(IExecutionExceptionHandler others)
    implements IExecutionExceptionHandler {

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine command, ParseResult parseResult) throws Exception {
    return others.handleExecutionException(asOfCommand(failure), command, parseResult);
  }

  private static Exception asOfCommand(Exception failure) {
    String words = ErrorWords.of(failure);
    if (failure instanceof BrokerUnavailableException) {
      return new CommandFailedException(ExitCodes.NO_BROKER, words, failure);
    }
    if (failure instanceof BrokerControlException) {
      Throwable cause = failure.getCause();
      // "cannot write FILE" alone leaves the reader asking why.
      String why = cause == null ? "" : ": " + ErrorWords.of(cause);
      return new CommandFailedException(ExitCodes.FAILED, words + why, failure);
    }
    return failure;
  }
}
