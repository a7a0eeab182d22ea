// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.LoopbackPorts;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.ProcessUse;
import io.pocketwatch.benchmarks.harness.Server;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A Redis of its own, as durable as the others: what it has confirmed is on the disk ({@code
 * appendfsync always}).
 */
final class RedisServer implements Server {
  private static final String PROGRAM = "redis-server";
  private static final Duration START_LIMIT = Duration.ofSeconds(20);

  private final Process process;
  private final Path log;
  private final URI uri;
  private final Thread atExit;

  private RedisServer(Process process, Path log, URI uri) {
    this.process = process;
    this.log = log;
    this.uri = uri;
    this.atExit = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** The one all subjects share. */
  static RedisServer shared(Ground ground) throws Exception {
    return ground.server("redis", RedisServer.class, () -> start(ground.folder("redis")));
  }

  private static RedisServer start(Path folder) throws Exception {
    String program = find().orElseThrow(() -> new NotHereException("no redis-server on the PATH"));
    int port = LoopbackPorts.free();
    Path log = folder.resolve("redis.log");
    Process process =
        new ProcessBuilder(command(program, port, folder))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    RedisServer server = new RedisServer(process, log, URI.create("redis://127.0.0.1:" + port));
    server.awaitAnswer();
    return server;
  }

  private static List<String> command(String program, int port, Path folder) {
    return List.of(
        program,
        "--bind",
        "127.0.0.1",
        "--port",
        Integer.toString(port),
        "--dir",
        folder.toString(),
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--save",
        "");
  }

  private static Optional<String> find() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(File.pathSeparator))
        .map(directory -> Path.of(directory, PROGRAM))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  private void awaitAnswer() throws IOException, InterruptedException {
    long end = System.nanoTime() + START_LIMIT.toNanos();
    while (process.isAlive() && System.nanoTime() < end) {
      try (RedisClient client = connect()) {
        client.ping();
        return;
      } catch (JedisConnectionException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    close();
    throw new IOException("redis-server did not start: " + Files.readString(log));
  }

  URI uri() {
    return uri;
  }

  /** A new client with a pool of connections. */
  RedisClient connect() {
    return RedisClient.create(uri);
  }

  @Override
  public String describe() {
    try (RedisClient client = connect()) {
      String version =
          client
              .info("server")
              .lines()
              .filter(line -> line.startsWith("redis_version:"))
              .map(line -> line.substring(line.indexOf(':') + 1))
              .findFirst()
              .orElse("?");
      return "Redis " + version + ", appendonly yes, appendfsync always";
    }
  }

  @Override
  public long residentBytes() {
    return ProcessUse.residentBytes(process.toHandle());
  }

  @Override
  public Duration cpuTime() {
    return ProcessUse.cpuTime(process.toHandle());
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
    if (!Thread.currentThread().equals(atExit)) {
      Runtime.getRuntime().removeShutdownHook(atExit);
    }
  }
}
