// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A private node run from an installed RabbitMQ; the installed node itself is never touched. */
final class InstalledRung implements Rung {

  private static final String INSTALL =
      "Install rabbitmq-server with this system's package manager.";

  private final Environment base;
  private final InstalledHomes homes;
  private final PrivateNodes nodes;

  InstalledRung(Environment base) {
    this.base = base;
    this.homes = new InstalledHomes(base);
    this.nodes = new PrivateNodes(base, BrokerSource.INSTALLED);
  }

  @Override
  public BrokerSource source() {
    return BrokerSource.INSTALLED;
  }

  @Override
  public BrokerNode find(LocalBrokerOptions options, LadderListener listener)
      throws RungRefusedException {
    RabbitHome home = home(options);
    listener.report("RabbitMQ " + home.version() + " is installed, starting a private node of it");
    return nodes.start(home, options);
  }

  @Override
  public BrokerCluster cluster(LocalBrokerOptions options, int size, LadderListener listener)
      throws RungRefusedException {
    RabbitHome home = home(options);
    listener.report("RabbitMQ " + home.version() + " is installed, starting " + size + " nodes");
    return nodes.startCluster(home, options, size);
  }

  RabbitHome home(LocalBrokerOptions options) throws RungRefusedException {
    List<RabbitHome> all = homes.all();
    if (all.isEmpty()) {
      throw new RungRefusedException("No rabbitmq-server is installed", INSTALL);
    }
    Optional<RabbitHome> fitting =
        all.stream().filter(home -> Versions.fits(home.version(), options.version())).findFirst();
    RabbitHome home =
        fitting.orElseThrow(
            () ->
                new RungRefusedException(
                    "Installed is RabbitMQ %s, wanted is %s"
                        .formatted(
                            all.stream().map(RabbitHome::version).collect(Collectors.joining(", ")),
                            options.version()),
                    "Install RabbitMQ "
                        + options.version()
                        + " or set RABBITMQ_HOME to its folder."));
    if (Epmd.program(base, home).isEmpty()) {
      throw new RungRefusedException(
          "RabbitMQ " + home.version() + " is installed, but Erlang's epmd is not on the path",
          "Put the folder with erl and epmd on the PATH.");
    }
    nodes.requirePlugins(home, options);
    return home;
  }
}
