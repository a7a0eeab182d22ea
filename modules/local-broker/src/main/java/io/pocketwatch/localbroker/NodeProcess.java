// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A node's operating system process: started, found by pid, checked, signalled, measured. */
record NodeProcess(ProcessHandle handle) {

  /** The process writes its own pid before it becomes the program: no moment without a file. */
  private static final String WRITE_PID_AND_EXEC = "echo $$ >\"$0\" && exec \"$@\"";

  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(10);
  private static final int NOES = 20;
  private static final Duration LONGEST_EXEC = Duration.ofSeconds(3);
  private static final Duration LOOK_AGAIN_AFTER = Duration.ofMillis(2);

  /** Starts a long-lived one: in a session of its own, its pid on file, its output in a log. */
  static void launch(
      Environment base,
      Path pidFile,
      Path output,
      Map<String, String> environment,
      List<String> program)
      throws IOException {
    Files.deleteIfExists(pidFile); // the pid of an earlier run would look like an early end
    List<String> line = new ArrayList<>();
    // Ctrl-C in a terminal goes to all of its session; whoever started a node ends it, in order.
    base.program("setsid").ifPresent(setsid -> line.add(setsid.toString()));
    line.addAll(List.of("sh", "-c", WRITE_PID_AND_EXEC, pidFile.toString()));
    line.addAll(program);
    new Command(line, environment, pidFile.getParent())
        .builder()
        .redirectErrorStream(true)
        .redirectOutput(Redirect.to(output.toFile()))
        .start();
  }

  /** The process of that pid file, if it runs and was started on that ground (pids come again). */
  static Optional<NodeProcess> find(Path pidFile, NodeGround ground) {
    return pid(pidFile)
        .flatMap(ProcessHandle::of)
        .filter(ProcessHandle::isAlive)
        .filter(handle -> startedOn(ground, handle.pid()))
        .map(NodeProcess::new);
  }

  private static Optional<Long> pid(Path pidFile) {
    try {
      return Optional.of(Long.parseLong(Files.readString(pidFile).strip()));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty(); // never started, or its folder was wiped
    }
  }

  /**
   * While a process becomes another program its environment is empty, or not all there. A starting
   * node does so several times: its shell, erl, erlexec. So a no counts only if it stays. An empty
   * environment, which lasts as long as the disk takes to read the program, does not count.
   */
  private static boolean startedOn(NodeGround ground, long pid) {
    String marker = NodeGround.MARKER + "=" + ground.folder();
    long end = System.nanoTime() + LONGEST_EXEC.toNanos();
    int noes = 0;
    while (noes < NOES && System.nanoTime() < end && ProcessHandle.of(pid).isPresent()) {
      String environment = environment(pid, marker);
      if (("\0" + environment + "\0").contains("\0" + marker + "\0")) {
        return true;
      }
      noes += environment.isEmpty() ? 0 : 1;
      LockSupport.parkNanos(LOOK_AGAIN_AFTER.toNanos());
    }
    return false;
  }

  /** Variables separated by NUL; without procfs only whether the marker is there. */
  private static String environment(long pid, String marker) {
    try {
      Path environ = Path.of("/proc", Long.toString(pid), "environ");
      if (Files.isReadable(environ)) {
        return new String(Files.readAllBytes(environ), StandardCharsets.UTF_8);
      }
      Command ps = Command.of("ps", "eww", "-o", "command=", "-p", Long.toString(pid));
      return (ps.run(COMMAND_LIMIT).output() + " ").contains(marker + " ") ? marker : "";
    } catch (IOException e) {
      return ""; // it ended while we looked
    }
  }

  boolean alive() {
    return handle.isAlive();
  }

  void terminate(Duration limit) {
    handle.destroy();
    awaitEnd(limit, "an orderly stop");
  }

  void kill(Duration limit) {
    handle.destroyForcibly();
    awaitEnd(limit, "SIGKILL");
  }

  private void awaitEnd(Duration limit, String after) {
    try {
      handle.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new BrokerControlException(
          "process " + handle.pid() + " is still there " + limit.toSeconds() + " s after " + after);
    } catch (ExecutionException e) {
      throw new BrokerControlException("cannot wait for process " + handle.pid(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerControlException("interrupted while process " + handle.pid() + " ended", e);
    }
  }

  void signal(String name) {
    try {
      Command.Result result =
          Command.of("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(handle.pid()))
              .run(COMMAND_LIMIT);
      if (!result.ok()) {
        throw new BrokerControlException(
            "cannot send " + name + " to process " + handle.pid() + ": " + result.lastWords());
      }
    } catch (IOException e) {
      throw new BrokerControlException("cannot send " + name + " to " + handle.pid(), e);
    }
  }

  Duration cpuTime() {
    return handle
        .info()
        .totalCpuDuration()
        .orElseThrow(
            () ->
                new BrokerControlException("process " + handle.pid() + " tells no processor time"));
  }

  long residentBytes() {
    try {
      Command ps = Command.of("ps", "-o", "rss=", "-p", Long.toString(handle.pid()));
      Path status = Path.of("/proc", Long.toString(handle.pid()), "status");
      String kilobytes =
          Files.isReadable(status)
              ? Files.readString(status).replaceFirst("(?s).*VmRSS:\\s*(\\d+) kB.*", "$1")
              : ps.run(COMMAND_LIMIT).output().strip();
      return Long.parseLong(kilobytes) * 1024;
    } catch (IOException | NumberFormatException e) {
      throw new BrokerControlException("process " + handle.pid() + " tells no memory use", e);
    }
  }
}
