// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.screen.CommandFailedException;
import io.pocketwatch.server.screen.ExitCodes;
import io.pocketwatch.server.screen.HelpOption;
import io.pocketwatch.server.screen.Numbers;
import io.pocketwatch.server.screen.Screen;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
      "Each round starts a private broker, a database (H2), a loader and a consumer of its own;"
          + " nothing else on this machine is touched, and nothing is left behind.",
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
  private static final int MOST_KILLS = 10_000;
  private static final int USUAL_LEAST_SECONDS = 30;
  private static final int USUAL_PER_SECOND = 100;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

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
      names = "--loader-kills",
      paramLabel = "N",
      description = "Over all rounds, 0 to 10000; default 1 per 3,000 messages, at least 1.")
  private @Nullable Integer loaderKills;

  @Option(
      names = "--broker-kills",
      paramLabel = "N",
      description = "Over all rounds, 0 to 10000; default 1 per 10,000 messages, at least 1.")
  private @Nullable Integer brokerKills;

  @Option(
      names = "--database-kills",
      paramLabel = "N",
      description =
          "Over all rounds, 0 to 10000; default 0: H2, killed, may forget what it has committed"
              + " last, which then counts as lost.")
  private @Nullable Integer databaseKills;

  @Option(
      names = "--consumer-kills",
      paramLabel = "N",
      description = "Over all rounds, 0 to 10000; default 1 per 15,000 messages, at least 1.")
  private @Nullable Integer consumerKills;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description =
          "JDBC URL of an empty database to use instead, with its user; it is not killed. Password"
              + " in POCKETWATCH_STORE_PASSWORD. The tables are created and left there.")
  private @Nullable String store;

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
    requireWithin("--rounds", rounds, 1, MOST_ROUNDS);
    requireWithin("--messages", messages, LEAST_MESSAGES, MOST_MESSAGES);
    int length =
        seconds == null ? Math.max(USUAL_LEAST_SECONDS, messages / USUAL_PER_SECOND) : seconds;
    requireWithin("--seconds", length, LEAST_SECONDS, MOST_SECONDS);
    Map<FaultKind, Integer> kills = kills();
    requireUsable(json);
    requireVersion();
    sayErrorsOnly();
    long drawn = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000_000) : seed;
    Screen screen = Screen.of(spec.commandLine());
    try (RunFolder folder = RunFolder.create()) {
      FaultsReport report = run(screen, folder, Duration.ofSeconds(length), kills, drawn);
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

  private Map<FaultKind, Integer> kills() {
    long all = (long) rounds * messages;
    Map<FaultKind, Integer> kills = new EnumMap<>(FaultKind.class);
    kills.put(FaultKind.LOADER, kills("--loader-kills", loaderKills, FaultKind.LOADER, all));
    kills.put(FaultKind.BROKER, kills("--broker-kills", brokerKills, FaultKind.BROKER, all));
    kills.put(
        FaultKind.CONSUMER, kills("--consumer-kills", consumerKills, FaultKind.CONSUMER, all));
    if (store == null) {
      kills.put(
          FaultKind.DATABASE,
          kills(
              "--database-kills",
              databaseKills == null ? Integer.valueOf(0) : databaseKills,
              FaultKind.DATABASE,
              all));
    } else if (databaseKills != null && databaseKills != 0) {
      throw new ParameterException(
          spec.commandLine(), "--database-kills: a database given with --store is not killed");
    }
    return kills;
  }

  private int kills(String option, @Nullable Integer given, FaultKind kind, long all) {
    int kills = given == null ? kind.usualKills(all) : given;
    requireWithin(option, kills, 0, MOST_KILLS);
    return kills;
  }

  private void requireWithin(String option, int value, int least, int most) {
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

  /** In a database with messages our loader would send what is not ours. */
  private static void requireEmpty(String url) {
    try (OpenStore open = OpenStore.create(StoreSettings.at(url, System.getenv()))) {
      long rows = open.store().count(MessageQuery.all().states(MessageState.PENDING));
      if (rows > 0) {
        throw new CommandFailedException(
            ExitCodes.USAGE,
            "--store: there are %s waiting in this database; use an empty one"
                .formatted(Numbers.of(rows, "message")));
      }
    }
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

  private FaultsReport run(
      Screen screen, RunFolder folder, Duration length, Map<FaultKind, Integer> kills, long drawn)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    long began = System.nanoTime();
    Random random = new Random(drawn);
    FaultSchedule schedule = FaultSchedule.of(kills, rounds, length, random);
    screen.heading("Pocketwatch faults, seed " + drawn);
    screen.detail(
        "%s of %s messages within %d s each"
            .formatted(Numbers.of(rounds, "round"), Numbers.count(messages), length.toSeconds()));
    if (store != null) {
      requireEmpty(store);
      screen.detail("The database is a given one and is not killed.");
    }
    String run = "faults-" + Long.toString(System.currentTimeMillis(), 36) + "-";
    List<RoundResult> results = new ArrayList<>();
    String broker = "";
    String database = "";
    for (int round = 1; round <= rounds; round++) {
      List<Fault> faults = schedule.rounds().get(round - 1);
      screen.heading("Round " + round);
      faults.forEach(
          fault ->
              screen.detail(
                  "planned at %s: kill the %s"
                      .formatted(Numbers.seconds(fault.at()), fault.kind().word())));
      RoundPlan plan =
          new RoundPlan(
              run + round + "-", messages, length, faults, store, version, random.nextLong());
      Round.Outcome outcome = new Round(plan, folder.ofRound(round), screen).run();
      results.add(outcome.result());
      broker = outcome.broker();
      database = outcome.database();
      if (outcome.result().sound()) {
        folder.forgetRound(round);
      }
    }
    long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
    return new FaultsReport(drawn, results, broker, database, seconds);
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
