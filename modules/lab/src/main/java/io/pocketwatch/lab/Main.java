// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import io.pocketwatch.lab.broker.BrokerCommand;
import io.pocketwatch.lab.demo.DemoCommand;
import io.pocketwatch.lab.faults.FaultsCommand;
import io.pocketwatch.lab.faults.SoakCommand;
import io.pocketwatch.lab.traffic.TrafficCommand;
import picocli.CommandLine;

/** Entry point of {@code ./pocketwatch}: the server's commands, and those to try it out. */
public final class Main {
  private Main() {}

  /**
   * Runs one command and ends the JVM with its exit code.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    io.pocketwatch.server.Main.run(commandLine(), args);
  }

  /** All commands of a source tree. */
  public static CommandLine commandLine() {
    CommandLine commandLine =
        io.pocketwatch.server.Main.commandLine(
            new DemoCommand(),
            new TrafficCommand(),
            new BrokerCommand(),
            new FaultsCommand(),
            new SoakCommand(),
            new BenchCommand());
    return commandLine.setExecutionExceptionHandler(
        new LocalBrokerFailures(commandLine.getExecutionExceptionHandler()));
  }
}
