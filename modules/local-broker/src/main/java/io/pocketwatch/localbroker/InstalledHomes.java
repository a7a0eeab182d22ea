// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks where packages and archives of RabbitMQ put its programs. */
final class InstalledHomes {

  private static final List<String> PARENTS =
      List.of(
          "/usr/lib/rabbitmq/lib",
          "/usr/lib64/rabbitmq/lib",
          "/usr/local/lib/rabbitmq/lib",
          "/opt");
  private static final List<String> FIXED =
      List.of("/opt/rabbitmq", "/opt/homebrew/opt/rabbitmq", "/usr/local/opt/rabbitmq");

  private final Environment base;

  InstalledHomes(Environment base) {
    this.base = base;
  }

  /** Every installed home once. */
  List<RabbitHome> all() {
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
        .sorted(Comparator.comparing(RabbitHome::version, InstalledHomes::compare).reversed())
        .toList();
  }

  /** The home behind a {@code rabbitmq-server} on the path, where that is the plain script. */
  private Optional<Path> onPath() {
    return base.program("rabbitmq-server")
        .flatMap(InstalledHomes::real)
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
