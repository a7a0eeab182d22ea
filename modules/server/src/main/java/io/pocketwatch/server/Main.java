// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.cli.AdoptCommand;
import io.pocketwatch.server.cli.ChangeCommand;
import io.pocketwatch.server.cli.CheckCommand;
import io.pocketwatch.server.cli.CommandFailures;
import io.pocketwatch.server.cli.ConsoleCommand;
import io.pocketwatch.server.cli.HealthCommand;
import io.pocketwatch.server.cli.ListCommand;
import io.pocketwatch.server.cli.LoadCommand;
import io.pocketwatch.server.cli.ParkedCommand;
import io.pocketwatch.server.cli.RepairCommand;
import io.pocketwatch.server.cli.RescheduleCommand;
import io.pocketwatch.server.cli.SchedulesCommand;
import io.pocketwatch.server.cli.SchemaCommand;
import io.pocketwatch.server.cli.ServeCommand;
import io.pocketwatch.server.cli.ShowCommand;
import io.pocketwatch.server.cli.UnroutableCommand;
import io.pocketwatch.server.cli.WrongUsage;
import io.pocketwatch.server.migrate.MigrateExchangeCommand;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/** Entry point of the {@code pocketwatch} command. */
@Command(
    name = "pocketwatch",
    description = "Delayed messages for RabbitMQ.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      CheckCommand.class,
      ServeCommand.class,
      ConsoleCommand.class,
      HealthCommand.class,
      LoadCommand.class,
      RepairCommand.class,
      UnroutableCommand.class,
      SchemaCommand.class,
      AdoptCommand.class,
      ListCommand.class,
      ShowCommand.class,
      ChangeCommand.Cancel.class,
      RescheduleCommand.class,
      ParkedCommand.class,
      ChangeCommand.Retry.class,
      SchedulesCommand.class,
      MigrateExchangeCommand.class,
      HelpCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ExitCodes.DONE + ":done",
      ExitCodes.FAILED + ":failed",
      ExitCodes.USAGE + ":wrong usage or configuration; nothing was declared on a broker",
      ExitCodes.NO_BROKER + ":no broker could be found or started"
    })
public final class Main {
  private static final int USAGE_WIDTH = 80;

  private Main() {}

  /**
   * Runs one command and ends the JVM with its exit code.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    run(commandLine(), args);
  }

  /** Runs one of the given commands, and ends the JVM with its exit code. */
  public static void run(CommandLine commandLine, String... args) {
    if (Arrays.asList(args).contains("serve")) {
      ServeCommand.logForADaemon(); // not later: reading --broker makes the first logger
    }
    System.exit(commandLine.execute(args));
  }

  /**
   * All commands of production.
   *
   * @param further further commands
   */
  public static CommandLine commandLine(Object... further) {
    CommandLine commandLine = new CommandLine(new Main());
    for (Object each : further) {
      commandLine.addSubcommand(each);
    }
    return commandLine
        .registerConverter(int.class, Main::wholeNumber)
        .setExecutionExceptionHandler(new CommandFailures())
        .setParameterExceptionHandler(new WrongUsage())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(USAGE_WIDTH);
  }

  private static int wholeNumber(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is no whole number up to 2147483647");
    }
  }

  /** A system property, because logback reads its level when the first logger is made. */
  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Also show what the libraries log at level INFO.")
  void verbose(boolean verbose) {
    if (verbose) {
      System.setProperty("POCKETWATCH_LOG_LEVEL", "INFO");
    }
  }
}
