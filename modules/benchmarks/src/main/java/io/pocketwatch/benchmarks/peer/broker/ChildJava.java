// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.LoopbackPorts;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.ProcessUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a JVM of its own, so that its memory and its libraries are its own. */
final class ChildJava implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final int LOG_TAIL = 400;

  private final Process process;
  private final Path log;
  private final Thread atExit;

  private ChildJava(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.atExit = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Starts a class of these libraries in that folder; its output goes to a file named after it. */
  static ChildJava start(
      Path folder, String name, List<String> options, String mainClass, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add(mainClass);
    command.addAll(arguments);
    Path log = folder.resolve(name + ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new ChildJava(process, log);
  }

  /** Waits until it listens there; closes it if it does not. */
  void awaitPort(int port) throws IOException, InterruptedException, NotHereException {
    long end = System.nanoTime() + START_LIMIT.toNanos();
    while (process.isAlive() && System.nanoTime() < end) {
      if (LoopbackPorts.answers(port)) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    String said = log();
    close();
    throw new NotHereException(
        "it does not start; its last words: "
            + said.substring(Math.max(0, said.length() - LOG_TAIL)).strip());
  }

  /** What it has printed so far. */
  String log() throws IOException {
    return Files.readString(log);
  }

  long residentBytes() {
    return ProcessUse.residentBytes(process.toHandle());
  }

  Duration cpuTime() {
    return ProcessUse.cpuTime(process.toHandle());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      process.destroyForcibly(); // this JVM is on its way out itself
    }
  }
}
