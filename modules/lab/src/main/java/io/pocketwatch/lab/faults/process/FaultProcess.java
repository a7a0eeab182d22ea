// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.server.cli.ServeCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Entry point of the processes that {@code pocketwatch faults} starts and kills. */
public final class FaultProcess {
  public static final String H2 = "h2";
  public static final String POSTGRESQL = "postgresql";
  public static final String LOADER = "loader";
  public static final String CONSUMER = "consumer";
  public static final String PUBLISHER = "publisher";

  private FaultProcess() {}

  /**
   * Runs one process, until it is killed, told to stop, or whoever started it is gone.
   *
   * @param arguments its role and what that needs
   */
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case H2 -> serveH2(arguments[1], arguments[2]);
      case POSTGRESQL -> servePostgres(Arrays.asList(arguments));
      case LOADER -> {
        endWithStdin(() -> Runtime.getRuntime().halt(0));
        System.exit(
            new CommandLine(new ServeCommand())
                .execute("--config", arguments[1], "--broker", arguments[2]));
      }
      case CONSUMER -> {
        endWithStdin(() -> Runtime.getRuntime().halt(0));
        LedgerConsumer.run(
            Path.of(arguments[1]), Addresses.parse(arguments[2]), Path.of(arguments[3]));
      }
      case PUBLISHER -> {
        endWithStdin(() -> Runtime.getRuntime().halt(0));
        LedgerPublisher.run(
            Path.of(arguments[1]),
            Addresses.parse(arguments[2]),
            Path.of(arguments[3]),
            Path.of(arguments[4]));
      }
      default -> throw new IllegalArgumentException("no such process: " + arguments[0]);
    }
  }

  /**
   * The server is on the class path only when it runs: nothing of ours is compiled against it. In
   * the end it first takes no more connections, and then closes what it has. The other way round a
   * client could open it once more.
   */
  private static void serveH2(String port, String folder) throws ReflectiveOperationException {
    String[] arguments = {"-tcpPort", port, "-ifNotExists", "-baseDir", folder};
    Class<?> type = Class.forName("org.h2.tools.Server");
    Object server =
        type.getMethod("createTcpServer", String[].class).invoke(null, (Object) arguments);
    type.getMethod("start").invoke(server);
    endWithStdin(
        () -> {
          type.getMethod("stop").invoke(server);
          System.exit(0); // H2 closes its databases in a hook
        });
  }

  /**
   * Runs PostgreSQL, and ends when it does.
   *
   * @param arguments after the role: how many words the command has that stops it, that command,
   *     and the one that runs it
   */
  private static void servePostgres(List<String> arguments)
      throws IOException, InterruptedException {
    int run = 2 + Integer.parseInt(arguments.get(1));
    List<String> stop = arguments.subList(2, run);
    Process process =
        inherit(arguments.subList(run, arguments.size()))
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    endWithStdin(
        () -> {
          try {
            inherit(stop).start().waitFor();
          } finally {
            Runtime.getRuntime().halt(0);
          }
        });
    System.exit(process.waitFor());
  }

  private static ProcessBuilder inherit(List<String> command) {
    return new ProcessBuilder(command).directory(Path.of("/").toFile()).inheritIO();
  }

  /** How a process ends in good order. */
  private interface Ending {
    void run() throws Exception;
  }

  /**
   * The other end of stdin is closed on purpose, or by the end of the parent, however it ends. A
   * byte from there asks for our {@link Vitals}.
   */
  private static void endWithStdin(Ending ending) {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  Vitals.tell();
                }
              } catch (IOException e) {
                // gone all the same
              }
              try {
                ending.run();
              } catch (Exception e) {
                e.printStackTrace(); // into its log
                Runtime.getRuntime().halt(1);
              }
            },
            "pocketwatch-parent");
    watch.setDaemon(true);
    watch.start();
  }
}
