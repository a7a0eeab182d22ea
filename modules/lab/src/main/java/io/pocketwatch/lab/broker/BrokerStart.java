// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.DetachedBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts the private broker, or finds it running. */
@Command(name = "start", description = "Starts it, and prints its addresses.")
final class BrokerStart implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Option(
      names = "--version",
      paramLabel = "V",
      description = "Beginning of the wanted RabbitMQ version, such as 4.3; otherwise any.")
  private @Nullable String version;

  @Option(
      names = "--port",
      paramLabel = "P",
      description =
          "AMQP port, which has to be free; without this option 5672 if it is free, else any.")
  private @Nullable Integer port;

  @Override
  public void run() {
    LocalBrokerOptions options = options();
    Screen screen = Screen.of(spec.commandLine());
    BrokerNode node = DetachedBroker.ofUser().start(options, screen::say);
    NodeLines.of(node).forEach(screen::result);
    requireAsWished(node);
  }

  private LocalBrokerOptions options() {
    try {
      return LocalBrokerOptions.defaults().withVersion(version).withPort(port == null ? 0 : port);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), ErrorWords.of(e), e);
    }
  }

  /** A node that was there before keeps its version and port, whatever is wished for now. */
  private void requireAsWished(BrokerNode node) {
    boolean otherVersion = version != null && !(node.version() + ".").startsWith(version + ".");
    boolean otherPort = port != null && port != 0 && node.amqpUri().getPort() != port;
    if (otherVersion || otherPort) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "it runs with the version and port it was first started with; for others: pocketwatch"
              + " broker stop --wipe, then start again");
    }
  }
}
