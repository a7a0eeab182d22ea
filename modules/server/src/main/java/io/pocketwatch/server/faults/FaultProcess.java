// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.server.serve.ServeCommand;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import picocli.CommandLine;

/** Entry point of the processes that {@code pocketwatch faults} starts and kills. */
public final class FaultProcess {
  private FaultProcess() {}

  /**
   * Runs one process, until it is killed or whoever started it is gone.
   *
   * @param arguments its role and what that needs
   */
  public static void main(String[] arguments) throws Exception {
    endWithParent();
    switch (arguments[0]) {
      case "database" -> serveDatabase(arguments[1], arguments[2]);
      case "loader" ->
          System.exit(
              new CommandLine(new ServeCommand())
                  .execute("--config", arguments[1], "--broker", arguments[2]));
      case "consumer" ->
          LedgerConsumer.run(
              Path.of(arguments[1]), URI.create(arguments[2]), Path.of(arguments[3]));
      default -> throw new IllegalArgumentException("no such process: " + arguments[0]);
    }
  }

  /** The server is on the class path only when it runs: nothing of ours is compiled against it. */
  private static void serveDatabase(String port, String folder)
      throws ReflectiveOperationException {
    String[] arguments = {"-tcp", "-tcpPort", port, "-ifNotExists", "-baseDir", folder};
    Class.forName("org.h2.tools.Server")
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }

  /** The other end of stdin is closed by the end of the parent, however it ends. */
  private static void endWithParent() {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  // nobody writes
                }
              } catch (IOException e) {
                // gone all the same
              }
              Runtime.getRuntime().halt(0);
            },
            "pocketwatch-parent");
    watch.setDaemon(true);
    watch.start();
  }
}
