// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.localbroker.DetachedBroker;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Stops the private broker. */
@Command(name = "stop", description = "Stops it; its data stays for the next start.")
final class BrokerStop implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Option(names = "--wipe", description = "Also delete its data, and forget its version and port.")
  private boolean wipe;

  @Override
  public void run() {
    Screen screen = Screen.of(spec.commandLine());
    DetachedBroker broker = DetachedBroker.ofUser();
    boolean ran = broker.stop(screen::say);
    if (wipe) {
      broker.wipe();
    }
    screen.result((ran ? "Stopped." : "It was not running.") + (wipe ? " Its data is gone." : ""));
  }
}
