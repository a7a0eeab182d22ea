// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.faults.driver.RunFolder;
import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.lab.faults.report.RunReport;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every run has: its seed, its broker, and where its figures go. */
final class RunOptions {
  private static final long SEEDS = 1_000_000_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

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

  /** The given one, or one that is drawn. */
  long seed() {
    return seed == null ? ThreadLocalRandom.current().nextLong(SEEDS) : seed;
  }

  String brokerVersion() {
    return version;
  }

  /** Better now than after an hour. */
  void require() {
    Path parent = json == null ? null : json.toAbsolutePath().getParent();
    if (json != null && (Files.isDirectory(json) || parent == null || !Files.isWritable(parent))) {
      throw new ParameterException(spec.commandLine(), "--json " + json + " cannot be written");
    }
    try {
      LocalBrokerOptions unused = LocalBrokerOptions.defaults().withVersion(version);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--broker-" + ErrorWords.of(e), e);
    }
  }

  /** What is run in a folder of its own. */
  @FunctionalInterface
  interface Run {
    RunReport in(RunFolder folder)
        throws IOException, TimeoutException, InterruptedException, SQLException;
  }

  /**
   * Runs it, shows how it ended, and keeps the folder if that was not well.
   *
   * @return the exit code
   */
  int run(Screen screen, DatabaseOptions database, Run run) throws IOException {
    sayErrorsOnly();
    try (RunFolder folder = RunFolder.create()) {
      database.requireEmpty();
      RunReport report = run.in(folder);
      if (!report.sound()) {
        screen.detail("Logs and journals are kept in " + folder.keep());
      }
      return show(screen, report);
    } catch (TimeoutException | SQLException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "broker or database: " + ErrorWords.of(e), e);
    } catch (InterruptedException e) {
      throw new CommandFailedException(ExitCodes.FAILED, "interrupted", e);
    }
  }

  /** Every fault makes warnings, here and in the processes; unless somebody asked for more. */
  private static void sayErrorsOnly() {
    if (System.getProperty("POCKETWATCH_LOG_LEVEL") == null) {
      System.setProperty("POCKETWATCH_OWN_LOG_LEVEL", "ERROR");
    }
    System.setProperty(Child.POOL_CHECKS, "0");
  }

  private int show(Screen screen, RunReport report) throws IOException {
    screen.say("");
    report.table().forEach(screen::result);
    screen.say("");
    if (report.sound()) {
      screen.success(report.verdict());
    } else {
      screen.failure(report.verdict());
    }
    String object = report.json();
    if (json != null) {
      Files.writeString(json, object + System.lineSeparator());
    }
    screen.result(object);
    return report.sound() ? ExitCodes.DONE : ExitCodes.FAILED;
  }
}
