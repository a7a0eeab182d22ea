// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Kills what can be killed while tracked messages are under way, and accounts for every one. */
@Command(
    name = "faults",
    description = {
      "Schedules tracked messages while loader, broker, database and consumer are killed (SIGKILL)"
          + " and started again, and accounts for every message.",
      "Each round starts a private broker, a database, a loader and a consumer of its own;"
          + " nothing else on this machine is touched, and nothing is left behind.",
      "The database is a private PostgreSQL if its programs are installed here, else H2, which is"
          + " restarted in an orderly way: killed, it may forget what it has committed last.",
      ""
    },
    footer = {
      "",
      "The last line on stdout is one JSON object. Exit code 0 only if every message was handled,"
          + " once and not early; else 1. 2: wrong usage. 3: no broker."
    })
public final class FaultsCommand implements Callable<Integer> {
  private static final int MOST_ROUNDS = 1_000;
  private static final int LEAST_MESSAGES = 10;
  private static final int MOST_MESSAGES = 1_000_000;
  private static final int LEAST_SECONDS = 10;
  private static final int MOST_SECONDS = 3_600;
  private static final int USUAL_LEAST_SECONDS = 30;
  private static final int USUAL_PER_SECOND = 100;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private KillOptions kills;
  @Mixin private DatabaseOptions database;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many rounds, 1 to 1000; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "3000",
      description = "Messages per round, 10 to 1000000; default ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "From the first message of a round to the last due instant, 10 to 3600; default a second"
              + " per 100 messages, but 30 at least.")
  private @Nullable Integer seconds;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeats the schedule of messages and faults; default a random one.")
  private @Nullable Long seed;

  @Option(
      names = "--broker-version",
      paramLabel = "V",
      defaultValue = "4.3",
      description =
          "Beginning of the wanted RabbitMQ version; default ${DEFAULT-VALUE}. Before 3.13.7 a killed"
              + " broker may forget where a message was going.")
  private String version = "";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the JSON object to this file too.")
  private @Nullable Path json;

  @Override
  public Integer call() throws IOException {
    requireWithin(spec, "--rounds", rounds, 1, MOST_ROUNDS);
    requireWithin(spec, "--messages", messages, LEAST_MESSAGES, MOST_MESSAGES);
    int length =
        seconds == null ? Math.max(USUAL_LEAST_SECONDS, messages / USUAL_PER_SECOND) : seconds;
    requireWithin(spec, "--seconds", length, LEAST_SECONDS, MOST_SECONDS);
    Map<FaultKind, Integer> planned = kills.kills((long) rounds * messages, database.given());
    requireUsable(json);
    requireVersion();
    DatabaseSource source = database.source();
    sayErrorsOnly();
    long drawn = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000_000) : seed;
    Screen screen = Screen.of(spec.commandLine());
    try (RunFolder folder = RunFolder.create()) {
      database.requireEmpty();
      Duration each = Duration.ofSeconds(length);
      RunPlan plan = new RunPlan(rounds, messages, each, planned, source, version, drawn);
      FaultsReport report = new Rounds(plan, folder, screen).run();
      if (!report.sound()) {
        screen.detail("Logs are kept in " + folder.keep());
      }
      return show(screen, report);
    } catch (TimeoutException | SQLException e) {
      throw new CommandFailedException(ExitCodes.FAILED, "broker or database: " + e, e);
    } catch (InterruptedException e) {
      throw new CommandFailedException(ExitCodes.FAILED, "interrupted", e);
    }
  }

  static void requireWithin(CommandSpec spec, String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), "%s %d is not within %d to %d".formatted(option, value, least, most));
    }
  }

  private void requireVersion() {
    try {
      LocalBrokerOptions unused = LocalBrokerOptions.defaults().withVersion(version);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--broker-" + e.getMessage(), e);
    }
  }

  /** Every fault makes warnings, here and in the processes; unless somebody asked for more. */
  private static void sayErrorsOnly() {
    if (System.getProperty("POCKETWATCH_LOG_LEVEL") == null) {
      System.setProperty("POCKETWATCH_OWN_LOG_LEVEL", "ERROR");
    }
    System.setProperty(Child.POOL_CHECKS, "0");
  }

  /** Better now than after an hour. */
  private void requireUsable(@Nullable Path file) {
    if (file == null) {
      return;
    }
    Path parent = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || parent == null || !Files.isWritable(parent)) {
      throw new ParameterException(spec.commandLine(), "--json " + file + " cannot be written");
    }
  }

  private int show(Screen screen, FaultsReport report) throws IOException {
    screen.say("");
    report.table().forEach(screen::result);
    screen.say("");
    if (report.sound()) {
      screen.success(report.verdict());
    } else {
      screen.failure(report.verdict());
    }
    if (json != null) {
      Files.writeString(json, report.json() + System.lineSeparator());
    }
    screen.result(report.json());
    return report.sound() ? ExitCodes.DONE : ExitCodes.FAILED;
  }
}
