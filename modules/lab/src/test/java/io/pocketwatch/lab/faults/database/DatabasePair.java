// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import static org.awaitility.Awaitility.await;

import io.pocketwatch.localbroker.NetworkProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A private database and its stand-by, with a network in between that can be cut. */
abstract class DatabasePair implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final Path folder;
  final int primaryPort = LedgerDatabase.freePort();
  final int standbyPort = LedgerDatabase.freePort();
  final NetworkProxy network = NetworkProxy.to("127.0.0.1", primaryPort);
  private final List<Process> started = new ArrayList<>();
  private @Nullable Process primary;

  DatabasePair(Path folder) {
    this.folder = folder;
  }

  /** As a program has it: both, and the one that takes changes. */
  abstract String url();

  /** Of one server, for its administrator. */
  abstract String url(int port);

  /** What starts one of the servers. */
  abstract List<String> command(String name, int port);

  /** The stand-by takes over, with all that it has. */
  abstract void promote() throws SQLException;

  /** From here on the stand-by hears nothing. */
  final void cut() {
    network.cut();
  }

  /** It was not told that there is another one now. */
  final void startPrimary() throws IOException {
    primary = start("primary", primaryPort);
  }

  final void startStandby() throws IOException {
    start("standby", standbyPort);
  }

  private Process start(String name, int port) throws IOException {
    Process process =
        new ProcessBuilder(command(name, port))
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()))
            .start();
    started.add(process);
    awaitAnswer("SELECT 1", port);
    return process;
  }

  /** With all its processes, as by a power cut. */
  final void killPrimary() {
    Process process = primary;
    if (process == null) {
      throw new IllegalStateException("it is killed already");
    }
    kill(process);
    primary = null;
  }

  private static void kill(Process process) {
    try (Stream<ProcessHandle> all = process.descendants()) {
      List<ProcessHandle> children = all.toList();
      process.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
    }
    process.onExit().join();
  }

  final void awaitAnswer(String query, int port) {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> answers(query, port));
  }

  final boolean answers(String query, int port) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(port));
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next();
    }
  }

  final void execute(int port, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(port));
        Statement each = connection.createStatement()) {
      for (String statement : statements) {
        each.execute(statement);
      }
    }
  }

  @Override
  public void close() {
    started.forEach(DatabasePair::kill);
    network.close();
  }
}
