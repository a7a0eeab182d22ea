// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers of one run, each started when the first subject asks for it. Not thread-safe. */
public final class Ground implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ground.class);

  private final Path folder;
  private final Map<String, Server> servers = new LinkedHashMap<>();

  public Ground() throws IOException {
    folder = Files.createTempDirectory("pocketwatch-bench");
  }

  /** The server of that name, started by this call if there is none yet. */
  public <S extends Server> S server(String name, Class<S> type, Callable<S> start)
      throws Exception {
    Server server = servers.get(name);
    if (server == null) {
      server = start.call();
      servers.put(name, server);
    }
    return type.cast(Objects.requireNonNull(server));
  }

  /** An empty folder for a server's files, deleted with all others when this is closed. */
  public Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  /** What ran, one line each. */
  public Map<String, String> describe() {
    Map<String, String> lines = new LinkedHashMap<>();
    servers.forEach((name, server) -> lines.put(name, server.describe()));
    return lines;
  }

  private static void delete(Path root) {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      LOG.warn("Could not delete {}", root, e);
    }
  }

  /** Ends the servers, then deletes their folders. */
  @Override
  public void close() {
    servers.values().forEach(Server::close);
    servers.clear();
    delete(folder);
  }
}
