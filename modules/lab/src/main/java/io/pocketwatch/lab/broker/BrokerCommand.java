// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.screen.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Groups the verbs about a private broker. */
@Command(
    name = "broker",
    description = {
      "A private RabbitMQ of this user, to play with: loopback only, no root, one at a time.",
      "It runs from an installed rabbitmq-server or from downloaded packages, and keeps its data"
          + " until 'stop --wipe'."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {BrokerStart.class, BrokerStop.class, BrokerStatus.class})
public final class BrokerCommand {
  @Mixin private HelpOption help;
}
