// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.catalogue.Fault;
import io.pocketwatch.lab.faults.driver.Planner;
import io.pocketwatch.lab.faults.driver.Rounds;
import io.pocketwatch.lab.faults.driver.RunPlan;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Within;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Breaks what can break while messages are under way, and accounts for every one. */
@Command(
    name = "faults",
    description = {
      "Publishes messages of every kind, lets one fault strike in each round, and accounts for"
          + " every message.",
      "They wait in the database if they are fully tracked, else in a TTL queue, the wheel or a"
          + " temporary queue, and are for quorum or classic targets. What each fault may lose or repeat stands in a table, which --list"
          + " shows; a round that breaks it is told with examples.",
      "Broker, database, publisher, loader and consumer are private processes; nothing else on this"
          + " machine is touched, and nothing is left behind.",
      "The database is a private PostgreSQL if its programs are installed here, else H2. H2 is"
          + " restarted in an orderly way: killed, it may forget what it has committed last.",
      ""
    },
    footer = {
      "",
      "The last line on stdout is one JSON object. Exit code 0 only if every round kept the table;"
          + " else 1. 2: wrong usage. 3: no broker."
    })
public final class FaultsCommand implements Callable<Integer> {
  private static final int MOST_ROUNDS = 1_000;
  private static final int LEAST_MESSAGES = 10;
  private static final int MOST_MESSAGES = 1_000_000;
  private static final int LEAST_SECONDS = 10;
  private static final int MOST_SECONDS = 3_600;
  private static final int USUAL_LEAST_SECONDS = 20;
  private static final int USUAL_PER_SECOND = 100;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ChoiceOptions choice;
  @Mixin private KillOptions kills;
  @Mixin private DatabaseOptions database;
  @Mixin private RunOptions options;

  @Option(names = "--list", description = "Only name the faults, and show the guarantee table.")
  private boolean list;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "How many rounds, 1 to 1000; default one for each fault and type of hold queue, or one"
              + " for several kills.")
  private @Nullable Integer rounds;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Messages per round, 10 to 1000000; default ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "From the first message of a round to the last due instant, 10 to 3600; default a second"
              + " per 100 messages, but 20 at least.")
  private @Nullable Integer seconds;

  @Option(names = "--brief", description = "Faults that last do so for a quarter of their time.")
  private boolean brief;

  @Override
  public Integer call() throws IOException {
    Screen screen = Screen.of(spec.commandLine());
    if (list) {
      FaultList.lines().forEach(screen::result);
      return ExitCodes.DONE;
    }
    RunPlan plan = plan();
    return options.run(
        screen,
        database,
        folder -> {
          try (Rounds all = new Rounds(plan, folder, screen)) {
            return all.run();
          }
        });
  }

  private RunPlan plan() {
    Within.require(spec, "--messages", messages, LEAST_MESSAGES, MOST_MESSAGES);
    int length =
        seconds == null ? Math.max(USUAL_LEAST_SECONDS, messages / USUAL_PER_SECOND) : seconds;
    Within.require(spec, "--seconds", length, LEAST_SECONDS, MOST_SECONDS);
    List<Fault> faults = choice.faults(database.given());
    List<HoldQueueType> holds = choice.holds();
    Map<String, Integer> strikes = kills.strikes(database.given());
    if (choice.given() && !strikes.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "--faults: either one fault in each round, or several kills");
    }
    int usual = strikes.isEmpty() ? faults.size() * holds.size() : 1;
    int count = rounds == null ? usual : rounds;
    Within.require(spec, "--rounds", count, 1, MOST_ROUNDS);
    options.require();
    long drawn = options.seed();
    Duration each = Duration.ofSeconds(length);
    Planner planner = new Planner(each, new Random(drawn));
    return new RunPlan(
        strikes.isEmpty() ? planner.each(faults, holds, count) : planner.several(strikes, count),
        messages,
        each,
        database.source(),
        options.brokerVersion(),
        drawn,
        brief);
  }
}
