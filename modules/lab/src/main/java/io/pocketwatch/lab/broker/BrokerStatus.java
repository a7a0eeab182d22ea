// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.DetachedBroker;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says whether the private broker runs, and where. */
@Command(
    name = "status",
    description = "Prints its addresses; exit code " + ExitCodes.FAILED + " if it does not run.")
final class BrokerStatus implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Override
  public Integer call() {
    Screen screen = Screen.of(spec.commandLine());
    Optional<BrokerNode> node = DetachedBroker.ofUser().running();
    if (node.isEmpty()) {
      screen.result("It is not running; start it with: pocketwatch broker start");
      return ExitCodes.FAILED;
    }
    NodeLines.of(node.get()).forEach(screen::result);
    return ExitCodes.DONE;
  }
}
