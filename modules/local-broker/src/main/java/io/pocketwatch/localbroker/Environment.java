// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The variables of the process that change what is found, and the folders that follow. */
record Environment(Map<String, String> variables) {

  static final String ADDRESS = "POCKETWATCH_BROKER";
  static final String PLUGINS = "POCKETWATCH_BROKER_PLUGINS";
  static final String PORTS = "POCKETWATCH_BROKER_PORTS";
  static final String MIRROR = "POCKETWATCH_DEBIAN_MIRROR";

  /** The system property {@code pocketwatch.broker} stands for the address, before the variable. */
  static Environment ofProcess() {
    Map<String, String> variables = new HashMap<>(System.getenv());
    String address = System.getProperty("pocketwatch.broker");
    if (address != null) {
      variables.put(ADDRESS, address);
    }
    return new Environment(variables);
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(variables.get(name)).filter(value -> !value.isBlank());
  }

  /** Folders with further plugins: those for this version first, then those for any. */
  List<Path> pluginFolders(String version) {
    return Stream.of(PLUGINS + "_" + Versions.variableSuffix(version), PLUGINS)
        .flatMap(this::folders)
        .map(Path::toAbsolutePath)
        .toList();
  }

  /** Where unpacked packages are kept between runs. */
  Path cacheFolder() {
    return base("XDG_CACHE_HOME", ".cache");
  }

  /** Where a detached node lives. */
  Path stateFolder() {
    return base("XDG_STATE_HOME", ".local/state");
  }

  private Path base(String variable, String underHome) {
    Path base =
        get(variable)
            .map(Path::of)
            .filter(Path::isAbsolute) // the XDG specification: a relative one is ignored
            .orElseGet(() -> Path.of(System.getProperty("user.home")).resolve(underHome));
    return base.resolve("pocketwatch");
  }

  private Stream<Path> folders(String variable) {
    return get(variable).stream()
        .flatMap(Pattern.compile(Pattern.quote(File.pathSeparator))::splitAsStream)
        .filter(folder -> !folder.isBlank())
        .map(Path::of);
  }

  /** The program of that name on the search path. */
  Optional<Path> program(String name) {
    return folders("PATH")
        .map(folder -> folder.resolve(name))
        .filter(file -> file.toFile().isFile() && file.toFile().canExecute())
        .findFirst();
  }

  /** What is behind a path's links; empty if there is nothing. */
  static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
