// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A private node run from an installed RabbitMQ; the installed node itself is never touched. */
final class InstalledRung extends ProgramsRung {

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

  InstalledRung(Environment base) {
    super(base, BrokerSource.INSTALLED);
  }

  @Override
  RabbitHome programs(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
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
        .flatMap(folder -> Environment.real(folder).stream())
        .distinct()
        .flatMap(folder -> RabbitHome.in(folder, List.of()).stream())
        .sorted(Comparator.comparing((RabbitHome home) -> Version.parse(home.version())).reversed())
        .toList();
  }

  /** The home behind a {@code rabbitmq-server} on the path, where that is the plain script. */
  private Optional<Path> onPath() {
    return base.program("rabbitmq-server")
        .flatMap(Environment::real)
        .map(Path::getParent)
        .map(Path::getParent);
  }
}
