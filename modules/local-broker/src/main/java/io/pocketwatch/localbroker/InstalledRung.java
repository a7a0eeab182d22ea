// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A private node run from an installed RabbitMQ; the installed node itself is never touched. */
final class InstalledRung implements Rung {

  /** Where packages and archives of RabbitMQ put its programs. */
  private static final List<String> PARENTS =
      List.of(
          "/usr/lib/rabbitmq/lib",
          "/usr/lib64/rabbitmq/lib",
          "/usr/local/lib/rabbitmq/lib",
          "/opt");

  private static final List<String> FIXED =
      List.of("/opt/rabbitmq", "/opt/homebrew/opt/rabbitmq", "/usr/local/opt/rabbitmq");

  private static final String INSTALL =
      "Install rabbitmq-server with this system's package manager.";

  private final Environment base;
  private final PrivateNodes nodes;

  InstalledRung(Environment base) {
    this.base = base;
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
    List<RabbitHome> all = homes();
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

  /** Every installed home once. */
  private List<RabbitHome> homes() {
    Stream<Path> named = base.get("RABBITMQ_HOME").stream().map(Path::of);
    Stream<Path> children =
        PARENTS.stream()
            .map(Path::of)
            .flatMap(
                parent ->
                    RabbitHome.names(parent).stream()
                        .filter(name -> name.startsWith("rabbitmq_server-"))
                        .map(parent::resolve));
    return Stream.of(named, children, FIXED.stream().map(Path::of), onPath().stream())
        .flatMap(folders -> folders)
        .flatMap(folder -> real(folder).stream())
        .distinct()
        .flatMap(folder -> RabbitHome.in(folder, List.of()).stream())
        .sorted(Comparator.comparing(RabbitHome::version, InstalledRung::compare).reversed())
        .toList();
  }

  /** The home behind a {@code rabbitmq-server} on the path, where that is the plain script. */
  private Optional<Path> onPath() {
    return base.program("rabbitmq-server")
        .flatMap(InstalledRung::real)
        .map(Path::getParent)
        .map(Path::getParent);
  }

  private static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  static int compare(String one, String other) {
    return java.lang.module.ModuleDescriptor.Version.parse(one)
        .compareTo(java.lang.module.ModuleDescriptor.Version.parse(other));
  }
}
