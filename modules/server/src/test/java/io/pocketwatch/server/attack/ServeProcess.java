// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import static org.awaitility.Awaitility.await;

import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** {@code serve} in a JVM of its own, with a heap of its own. */
final class ServeProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(240);

  private final int port;
  private final Path log;
  private final Process process;

  private ServeProcess(int port, Path log, Process process) {
    this.port = port;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts it, and waits until it serves.
   *
   * @param sections of the configuration, below {@code pocketwatch}, with {@code PORT} where it
   *     belongs
   */
  static ServeProcess start(
      Path folder,
      String sections,
      BrokerExtension broker,
      int heapMegabytes,
      Map<String, String> environment)
      throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Path config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            "pocketwatch:\n" + sections.replace("PORT", String.valueOf(port)).indent(2));
    Path log = folder.resolve("serve.log");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heapMegabytes + "m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "io.pocketwatch.server.Main",
            "serve",
            "--config=" + config,
            "--broker=" + broker.amqpUri());
    builder.environment().putAll(environment);
    ServeProcess serve =
        new ServeProcess(
            port, log, builder.redirectErrorStream(true).redirectOutput(log.toFile()).start());
    await().atMost(PATIENCE).until(() -> serve.log().contains("Serving: http://"));
    return serve;
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  int port() {
    return port;
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long residentMegabytes() throws IOException {
    List<String> status = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"));
    return status.stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1_024)
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
