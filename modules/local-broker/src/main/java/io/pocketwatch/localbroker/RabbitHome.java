// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs of one RabbitMQ.
 *
 * @param folder holds {@code sbin} and {@code plugins}
 * @param version its full version
 * @param programs folders with its Erlang programs, searched before the process's own path
 */
record RabbitHome(Path folder, String version, List<Path> programs) {

  private static final Pattern NAMED =
      Pattern.compile("rabbitmq_server-(\\d+\\.\\d+\\.\\d+[\\w.+-]*)");
  private static final Pattern BROKER_APP =
      Pattern.compile("rabbit-(\\d+\\.\\d+\\.\\d+[\\w.+-]*?)(\\.ez)?");

  /** The home in this folder, if its scripts are there and its version can be told. */
  static Optional<RabbitHome> in(Path folder, List<Path> programs) {
    if (!Files.isExecutable(folder.resolve("sbin/rabbitmq-server"))
        || !Files.isExecutable(folder.resolve("sbin/rabbitmqctl"))) {
      return Optional.empty();
    }
    return versionOf(folder).map(version -> new RabbitHome(folder, version, programs));
  }

  Path script(String name) {
    return folder.resolve("sbin").resolve(name);
  }

  Path plugins() {
    return folder.resolve("plugins");
  }

  /** Whether a plugin of that name lies in the home or in one of the further folders. */
  boolean offers(String plugin, List<Path> furtherFolders) {
    return Stream.concat(Stream.of(plugins()), furtherFolders.stream())
        .flatMap(where -> names(where).stream())
        .anyMatch(name -> name.equals(plugin) || name.matches(plugin + "(-[0-9v].*|\\.ez)"));
  }

  private static Optional<String> versionOf(Path folder) {
    Matcher named = NAMED.matcher(folder.getFileName().toString());
    if (named.matches()) {
      return Optional.of(named.group(1));
    }
    return names(folder.resolve("plugins")).stream()
        .map(BROKER_APP::matcher)
        .filter(Matcher::matches)
        .map(found -> found.group(1))
        .findFirst();
  }

  static List<String> names(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of(); // unreadable for us: the same as not there
    }
  }
}
