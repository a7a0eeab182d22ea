// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** {@code serve} in a JVM of its own, with a heap and a store of its own. */
final class ServeProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(240);

  private final int port;
  private final Path log;
  private final TestDatabase database;
  private final OpenStore open;
  private final Process process;

  private ServeProcess(int port, Path log, TestDatabase database, OpenStore open, Process process) {
    this.port = port;
    this.log = log;
    this.database = database;
    this.open = open;
    this.process = process;
  }

  /**
   * What it is started with.
   *
   * @param folder for its configuration and its log
   * @param heapMegabytes its heap
   * @param tokens its credentials, by the variable of the environment
   * @param queues that are declared before
   */
  record Setup(Path folder, int heapMegabytes, Map<String, String> tokens, List<String> queues) {}

  /**
   * Starts it, and waits until it serves.
   *
   * @param sections of the configuration, below {@code pocketwatch}, with {@code PORT} and {@code
   *     STORE} where they belong
   */
  static ServeProcess start(BrokerExtension broker, Setup setup, String sections) throws Exception {
    TestDatabase database = TestDatabases.postgresql();
    OpenStore open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String queue : setup.queues()) {
        channel.queueDeclare(queue, true, false, false, Map.of());
      }
    }
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String text = sections.replace("PORT", String.valueOf(port)).replace("STORE", database.url());
    Path config =
        Files.writeString(
            setup.folder().resolve("pocketwatch.yml"), "pocketwatch:\n" + text.indent(2));
    Path log = setup.folder().resolve("serve.log");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + setup.heapMegabytes() + "m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "io.pocketwatch.server.Main",
            "serve",
            "--config=" + config,
            "--broker=" + broker.amqpUri());
    builder.environment().putAll(setup.tokens());
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    ServeProcess serve = new ServeProcess(port, log, database, open, process);
    await().atMost(PATIENCE).until(() -> serve.log().contains("Serving: http://"));
    return serve;
  }

  /** Its store, from here. */
  DelayStore store() {
    return open.store();
  }

  /** Runs statements on its database. */
  void sql(List<String> statements) throws SQLException {
    try (java.sql.Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
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
  public void close() throws Exception {
    process.destroyForcibly().waitFor();
    open.close();
    database.close();
  }
}
