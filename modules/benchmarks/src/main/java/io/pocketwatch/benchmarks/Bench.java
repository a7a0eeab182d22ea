// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import static java.util.stream.Collectors.joining;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.peer.amqp.AmqpPeers;
import io.pocketwatch.benchmarks.report.ResultFolder;
import io.pocketwatch.benchmarks.report.ResultJson;
import io.pocketwatch.benchmarks.report.ResultTable;
import io.pocketwatch.benchmarks.report.Results;
import io.pocketwatch.benchmarks.suite.BenchOptions;
import io.pocketwatch.benchmarks.suite.Session;
import io.pocketwatch.benchmarks.suite.Suite;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Entry point of {@code pocketwatch bench}. */
@Command(
    name = "pocketwatch bench",
    description = {
      "Measures Pocketwatch beside its peers, in one run, on servers it starts itself.",
      "Subjects take turns; warm-up first, medians of several rounds after it. Nothing else should"
          + " run on the machine meanwhile.",
      ""
    },
    footer = {
      "",
      "Exit code 0 if every subject was measured or is missing for a reason given; 1 if it failed; 2:"
          + " wrong usage."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class Bench implements Callable<Integer> {
  private static final int USAGE_WIDTH = 100;

  @Spec private CommandSpec spec;
  @Mixin private OptionValues values;

  @Parameters(
      arity = "0..1",
      paramLabel = "SUITE",
      description = "One of the suites below; without one, they and their subjects are listed.")
  private @Nullable String suite;

  @Option(
      names = "--peers",
      split = ",",
      paramLabel = "NAMES",
      description = "Only these subjects, by name; default: all of the suite.")
  private List<String> peers = new ArrayList<>();

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Where JSON, histogram logs and plots go; default ${DEFAULT-VALUE}.")
  private Path results = Path.of("bench-results");

  /** A system property, because subjects are listed before a run knows its options. */
  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description =
          "Folder with the delayed-message plugin (.ez), to measure it too, on RabbitMQ 4.0.")
  void plugins(Path folder) {
    System.setProperty(AmqpPeers.PLUGINS_PROPERTY, folder.toAbsolutePath().toString());
  }

  @Option(
      names = "--json",
      arity = "0..1",
      fallbackValue = "-",
      paramLabel = "FILE",
      description = "Also write the JSON to this file; without a file, as the last line of stdout.")
  private @Nullable Path json;

  /**
   * Runs one suite and ends the JVM with its exit code.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true");
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Bench()).setUsageHelpWidth(USAGE_WIDTH);
  }

  @Override
  public Integer call() throws Exception {
    Screen screen = Screen.of(spec.commandLine());
    if (suite == null) {
      Listing.lines(Catalogue.suites()).forEach(screen::result);
      return ExitCodes.DONE;
    }
    Suite chosen = chosen(suite);
    BenchOptions options = values.options(chosen.defaults());
    List<Subject> subjects = subjects(chosen);
    screen.heading("Pocketwatch bench: " + chosen.name());
    screen.detail(chosen.question());
    try (Ground ground = new Ground()) {
      Session session = new Session(ground, options, new ScreenWatch(screen), subjects);
      Results found = chosen.run(session);
      screen.say("");
      ResultTable.of(found).lines().forEach(jsonOnly() ? screen::say : screen::result);
      screen.say("");
      List<Path> files = ResultFolder.at(results).write(found, session.lateness());
      screen.detail("Written: " + files.stream().map(Path::toString).collect(joining(", ")));
      write(screen, found);
    }
    return ExitCodes.DONE;
  }

  private Suite chosen(String name) {
    return Catalogue.suites().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                wrong(
                    "there is no suite '%s'; there are %s"
                        .formatted(name, Catalogue.suites().stream().map(Suite::name).toList())));
  }

  private List<Subject> subjects(Suite chosen) {
    List<String> names = chosen.subjects().stream().map(Subject::name).toList();
    for (String peer : peers) {
      if (!names.contains(peer)) {
        throw wrong("suite %s has no subject '%s'; it has %s".formatted(suite, peer, names));
      }
    }
    return chosen.subjects().stream()
        .filter(each -> peers.isEmpty() || peers.contains(each.name()))
        .toList();
  }

  private ParameterException wrong(String words) {
    return new ParameterException(spec.commandLine(), words);
  }

  private void write(Screen screen, Results found) throws IOException {
    if (json == null) {
      return;
    }
    if (jsonOnly()) {
      screen.result(Json.line(found));
    } else {
      Files.writeString(json, ResultJson.of(found));
    }
  }

  private boolean jsonOnly() {
    return json != null && json.toString().equals("-");
  }
}
