// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The ground of all nodes this JVM starts for itself. A guard process holds the other end of a
 * pipe. When the JVM ends, in whatever way, the pipe breaks, and the guard kills what runs on the
 * ground and deletes it. So not even {@code kill -9} of a test run leaves a broker behind.
 */
final class JvmGround {

  private static final String GUARD =
      """
      trap '' INT HUP TERM
      cat >/dev/null
      for f in "$1"/*/pid; do
        p=$(cat "$f" 2>/dev/null) || continue
        if [ -r "/proc/$p/environ" ]; then tr '\\0' '\\n' <"/proc/$p/environ"
        else ps eww -o command= -p "$p" | tr ' ' '\\n'; fi |
          grep -qxF "$2=$1" && kill -9 "$p"
      done
      for i in 1 2 3 4 5; do rm -rf "$1" && break; sleep 1; done
      """;

  private static final long GUARD_END_SECONDS = 10;

  private static @Nullable NodeGround ground;
  private static final AtomicInteger COUNTER = new AtomicInteger();

  private JvmGround() {}

  static synchronized NodeGround get(Environment base, FreePorts ports) throws IOException {
    NodeGround result = ground;
    if (result == null) {
      Path folder = Files.createTempDirectory("pocketwatch-broker-");
      result = new NodeGround(folder, ports.next(0));
      Process guard = guard(base, folder);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(guard), "pocketwatch-broker-end"));
      ground = result;
    }
    return result;
  }

  /** A name no other node of this JVM has. */
  static String nextName() {
    return "pw" + COUNTER.incrementAndGet();
  }

  private static Process guard(Environment base, Path folder) throws IOException {
    List<String> line = new ArrayList<>();
    base.program("setsid").ifPresent(setsid -> line.add(setsid.toString()));
    line.addAll(
        List.of("sh", "-c", GUARD, "pocketwatch-guard", folder.toString(), NodeGround.MARKER));
    return new ProcessBuilder(line)
        .directory(Path.of("/").toFile())
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD)
        .start();
  }

  /** Not needed to end the nodes, but lets them end before the JVM is gone. */
  private static void end(Process guard) {
    try {
      guard.getOutputStream().close();
      guard.waitFor(GUARD_END_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      guard.destroy();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
