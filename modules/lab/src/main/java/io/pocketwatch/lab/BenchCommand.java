// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * Stands for a program of its own in the list of commands; the launcher starts that one before this
 * class is reached.
 */
@Command(name = "bench", description = "Measures it beside its peers, in one run, with plots.")
final class BenchCommand implements Callable<Integer> {

  @Unmatched private List<String> words = new ArrayList<>();

  @Override
  public Integer call() {
    throw new CommandFailedException(
        ExitCodes.USAGE,
        "the benchmarks are not in this jar: run './pocketwatch bench "
            + String.join(" ", words)
            + "' in a source tree");
  }
}
