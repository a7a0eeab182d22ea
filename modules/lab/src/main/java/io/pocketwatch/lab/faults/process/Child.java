// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A process of this same jar. It is started again whenever it ends, as a service manager would do,
 * until it is closed. Thread-safe.
 */
public final class Child implements AutoCloseable {
  /**
   * A pool of connections trusts one that was used within the last half second. What was busy when
   * the database was killed would go on with dead ones, for H2 says so with codes the pool does not
   * know.
   */
  public static final String POOL_CHECKS = "com.zaxxer.hikari.aliveBypassWindowMs";

  private static final long PAUSE_SECONDS = 1;

  /** For an orderly end; a database writes down what it has. */
  private static final long END_SECONDS = 30;

  private final List<String> command;
  private final Path log;
  private final Path vitals;
  private final Thread hook = new Thread(this::end, "pocketwatch-faults-child");
  private @Nullable Process process;
  private boolean closed;
  private int ownEnds;

  private Child(List<String> command, Path log, Path vitals) {
    this.command = command;
    this.log = log;
    this.vitals = vitals;
  }

  /**
   * Starts it.
   *
   * @param folder where its log goes
   * @param arguments of {@link FaultProcess}; the first is its role
   */
  public static Child start(Path folder, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // There are several of them beside a broker: quick to start is worth more than fast.
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-D" + POOL_CHECKS + "=0");
    Path vitals = folder.resolve(arguments[0] + ".vitals");
    command.add("-D" + Vitals.FILE + "=" + vitals);
    command.addAll(
        List.of("-Dh2.bindAddress=127.0.0.1", "-cp", System.getProperty("java.class.path")));
    command.add(FaultProcess.class.getName());
    command.addAll(List.of(arguments));
    Child child = new Child(List.copyOf(command), folder.resolve(arguments[0] + ".log"), vitals);
    Runtime.getRuntime().addShutdownHook(child.hook);
    child.launch();
    return child;
  }

  private synchronized void launch() {
    if (closed) {
      return;
    }
    try {
      Process started =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      process = started;
      CompletableFuture<?> unused = started.onExit().thenAccept(this::ended);
    } catch (IOException e) {
      throw new UncheckedIOException("a process could not be started: " + ErrorWords.of(e), e);
    }
  }

  private synchronized void ended(Process which) {
    if (closed || process != which) {
      return; // on purpose
    }
    ownEnds++;
    CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS)
        .execute(
            () -> {
              synchronized (this) {
                if (process == which) { // not killed and started since
                  launch();
                }
              }
            });
  }

  /** Asks for a line in {@link #vitals()}; nothing comes if it does not run, or is frozen. */
  public synchronized void askVitals() {
    Process now = process;
    if (now == null) {
      return;
    }
    try {
      now.getOutputStream().write('\n');
      now.getOutputStream().flush();
    } catch (IOException e) {
      // It has just ended.
    }
  }

  /** The file of its {@link Vitals}, one line for each time it was asked. */
  public Path vitals() {
    return vitals;
  }

  /** Kills it as a power cut would, and starts it again. */
  public synchronized void killAndStart() {
    kill();
    launch();
  }

  /** Freezes it and what it has started (SIGSTOP): connections stay, nothing answers. */
  public void pause() {
    signal("STOP");
  }

  /** Lets it go on. */
  public void resume() {
    signal("CONT");
  }

  private synchronized void signal(String name) {
    Process now = process;
    if (now == null) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    Stream.concat(Stream.of(now.toHandle()), now.descendants())
        .forEach(each -> command.add(Long.toString(each.pid())));
    try {
      new ProcessBuilder(command).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException("no program kill: " + ErrorWords.of(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets it end in good order, and starts it again. */
  public synchronized void stopAndStart() {
    stop();
    launch();
  }

  /** With all that it has started itself, from the top: nobody is left to start anything. */
  private synchronized void kill() {
    Process old = process;
    process = null;
    if (old != null) {
      List<ProcessHandle> all =
          Stream.concat(Stream.of(old.toHandle()), old.descendants()).toList();
      all.forEach(ProcessHandle::destroyForcibly);
      all.forEach(each -> each.onExit().join());
    }
  }

  private synchronized void stop() {
    Process old = process;
    if (old != null) {
      process = null;
      try {
        old.getOutputStream().close();
        old.onExit().get(END_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (IOException | ExecutionException | TimeoutException e) {
        // by force, then
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      process = old;
      kill();
    }
  }

  /** How often it ended by itself, for instance because it found no broker. */
  public synchronized int ownEnds() {
    return ownEnds;
  }

  private synchronized void end() {
    closed = true;
    stop();
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending already; ended twice is ended.
    }
  }
}
