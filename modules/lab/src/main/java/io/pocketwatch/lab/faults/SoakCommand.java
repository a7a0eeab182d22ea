// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import io.pocketwatch.lab.faults.driver.Planner;
import io.pocketwatch.lab.faults.driver.RoundPlan.Strike;
import io.pocketwatch.lab.faults.driver.Soak;
import io.pocketwatch.lab.faults.driver.SoakPlan;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Within;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs for long, and looks whether anything grows. */
@Command(
    name = "soak",
    description = {
      "Runs at a steady rate for as long as you like, with a fault now and then, and shows that"
          + " nothing grows.",
      "It sends messages of the same kinds as 'faults' does, and accounts for every one. It"
          + " measures memory, threads, files, connections, channels, queues and rows of"
          + " publisher, loader, consumer, broker and store.",
      "A first fifth of the run, of three minutes at most, is left out. Of the rest the median"
          + " of the last third is held against that of the first. It may be a tenth higher, or"
          + " by what the table names. The table also says which growth per hour would be too"
          + " slow to be seen: the longer the run, the less.",
      "Temporary queues are kept for a while, and each is a process of the broker. A run of less"
          + " than three minutes says nothing about their number.",
      "Broker, database, publisher, loader and consumer are private processes, as with 'faults'."
          + " The broker's raft.wal_max_size_bytes is 4 MB: with the default of 512 MB its"
          + " memory would"
          + " grow until the first file is full.",
      ""
    },
    footer = {
      "",
      "The last line on stdout is one JSON object. Exit code 0 only if nothing grew and every"
          + " message was kept as the guarantee table says; else 1. 2: wrong usage. 3: no broker."
    })
public final class SoakCommand implements Callable<Integer> {
  private static final double LEAST_MINUTES = 0.5;
  private static final double MOST_MINUTES = 10_080;
  private static final int MOST_RATE = 1_000;
  private static final int LEAST_APART = 15;
  private static final int MOST_APART = 86_400;
  private static final String NO_FAULTS = "none";

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private DatabaseOptions database;
  @Mixin private RunOptions options;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "10",
      description = "How long messages are sent, 0.5 to 10080; default ${DEFAULT-VALUE}.")
  private double minutes;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "20",
      description = "Messages per second, 1 to 1000; default ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--faults",
      paramLabel = "A,B",
      split = ",",
      description =
          "Which, or none; default those that leave every measured process running. The memory"
              + " of one that is started anew is not compared.")
  private @Nullable List<String> names;

  @Option(
      names = "--every",
      paramLabel = "S",
      defaultValue = "60",
      description =
          "Seconds from one fault to the next, 15 to 86400; default ${DEFAULT-VALUE}. A run of less"
              + " than three of them has one fault, in its middle.")
  private int every;

  @Override
  public Integer call() throws IOException {
    Screen screen = Screen.of(spec.commandLine());
    SoakPlan plan = plan();
    return options.run(
        screen,
        database,
        folder -> {
          try (Soak soak = Soak.open(plan, folder, screen)) {
            return soak.run();
          }
        });
  }

  private SoakPlan plan() {
    if (!(minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES)) {
      throw new ParameterException(
          spec.commandLine(), "--minutes %s is not within 0.5 to 10080".formatted(minutes));
    }
    Within.require(spec, "--rate", rate, 1, MOST_RATE);
    Within.require(spec, "--every", every, LEAST_APART, MOST_APART);
    options.require();
    Duration length = Duration.ofMillis((long) (minutes * Duration.ofMinutes(1).toMillis()));
    Duration half = length.dividedBy(2);
    Duration apart = Duration.ofSeconds(every);
    long seed = options.seed();
    List<Fault> faults = faults();
    List<Strike> strikes =
        faults.isEmpty()
            ? List.of()
            : new Planner(length, new Random(seed))
                .nowAndThen(faults, apart.multipliedBy(3).compareTo(length) > 0 ? half : apart);
    return new SoakPlan(length, rate, strikes, database.source(), options.brokerVersion(), seed);
  }

  private List<Fault> faults() {
    if (names == null) {
      return ChoiceOptions.possible(Catalogue.MILD, database.given());
    }
    if (names.equals(List.of(NO_FAULTS))) {
      return List.of();
    }
    List<Fault> faults = ChoiceOptions.named(spec, names, database.given());
    faults.stream()
        .filter(fault -> fault.place() != Fault.Place.NODE)
        .findFirst()
        .ifPresent(
            fault -> {
              throw new ParameterException(
                  spec.commandLine(),
                  "--faults: %s needs a %s"
                      .formatted(
                          fault.name(),
                          fault.place().cluster() ? "cluster" : "broker whose clock can be set"));
            });
    return faults;
  }
}
