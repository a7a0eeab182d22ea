// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import io.pocketwatch.benchmarks.suite.BenchOptions;
import io.pocketwatch.screen.Within;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How a suite is run, as given on the command line; what is not given is the suite's default. */
final class OptionValues {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description =
          "Messages per trial, 100 to 10000000; slow subjects get fewer. Default 50000, fanin 100000.")
  private @Nullable Integer messages;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that count, 1 to 100; default 5.")
  private @Nullable Integer rounds;

  @Option(
      names = "--warmups",
      paramLabel = "N",
      description = "Rounds before them that do not, 0 to 10; default 1.")
  private @Nullable Integer warmups;

  @Option(
      names = "--rates",
      split = ",",
      paramLabel = "N",
      description =
          "Messages per second, 1 to 100000; default 500,1000,2000,4000,8000, else 4000; longrun 1000.")
  private @Nullable List<Integer> rates;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long messages are sent at a rate, 1 to 86400; default 30, longrun 1800.")
  private @Nullable Integer seconds;

  @Option(
      names = "--held",
      split = ",",
      paramLabel = "N",
      description = "Messages held meanwhile, 0 to 10000000; default 0,100000,1000000.")
  private @Nullable List<Integer> held;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Rows pending in the tables meanwhile, 0 to 100000000; default 1000000.")
  private @Nullable Integer rows;

  @Option(
      names = "--burst-after",
      paramLabel = "S",
      description =
          "Seconds after which a burst is due, 0 to 86400, but not before all is held; default 0.")
  private @Nullable Integer burstAfter;

  @Option(
      names = "--short",
      description = "Small numbers and one round, to see that all works; the figures mean nothing.")
  private boolean shortForm;

  BenchOptions options(BenchOptions defaults) {
    BenchOptions base = shortForm ? BenchOptions.shortForm() : defaults;
    return new BenchOptions(
        within("--messages", or(messages, base.messages()), 100, 10_000_000),
        within("--rounds", or(rounds, base.rounds()), 1, 100),
        within("--warmups", or(warmups, base.warmups()), 0, 10),
        each("--rates", rates == null ? base.rates() : rates, 1, 100_000),
        Duration.ofSeconds(
            within("--seconds", or(seconds, (int) base.length().toSeconds()), 1, 86_400)),
        base.longestDelay(),
        each("--held", held == null ? base.held() : held, 0, 10_000_000),
        within("--rows", or(rows, (int) base.rows()), 0, 100_000_000),
        Duration.ofSeconds(
            within(
                "--burst-after", or(burstAfter, (int) base.burstAfter().toSeconds()), 0, 86_400)));
  }

  private static int or(@Nullable Integer given, int otherwise) {
    return given == null ? otherwise : given;
  }

  private List<Integer> each(String option, List<Integer> numbers, int least, int most) {
    numbers.forEach(number -> within(option, number, least, most));
    return numbers;
  }

  private int within(String option, int value, int least, int most) {
    return Within.require(spec, option, value, least, most);
  }
}
