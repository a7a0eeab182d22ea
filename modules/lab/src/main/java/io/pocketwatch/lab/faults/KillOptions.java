// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.screen.Within;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Several kills in each round, in place of one fault. */
final class KillOptions {
  private static final int MOST_KILLS = 10_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--loader-kills",
      paramLabel = "N",
      description =
          "Kills of the loader, several in a round instead of one fault: over all rounds, 0 to"
              + " 10000.")
  private int loaderKills;

  @Option(
      names = "--broker-kills",
      paramLabel = "N",
      description = "Kills of the broker, over all rounds, 0 to 10000.")
  private int brokerKills;

  @Option(
      names = "--database-kills",
      paramLabel = "N",
      description = "Kills of the database, over all rounds, 0 to 10000.")
  private int databaseKills;

  @Option(
      names = "--consumer-kills",
      paramLabel = "N",
      description = "Kills of the consumer, over all rounds, 0 to 10000.")
  private int consumerKills;

  @Option(
      names = "--publisher-kills",
      paramLabel = "N",
      description = "Kills of the publisher, over all rounds, 0 to 10000.")
  private int publisherKills;

  /**
   * How often each fault strikes; empty if none was asked for.
   *
   * @param given whether the database is somebody else's
   */
  Map<String, Integer> strikes(boolean given) {
    Map<String, Integer> strikes = new LinkedHashMap<>();
    add(strikes, "loader", loaderKills);
    add(strikes, "broker", brokerKills);
    add(strikes, "database", databaseKills);
    add(strikes, "consumer", consumerKills);
    add(strikes, "publisher", publisherKills);
    if (given && databaseKills != 0) {
      throw new ParameterException(
          spec.commandLine(), "--database-kills: a database given with --store is not killed");
    }
    return strikes;
  }

  private void add(Map<String, Integer> strikes, String whose, int kills) {
    Within.require(spec, "--" + whose + "-kills", kills, 0, MOST_KILLS);
    if (kills > 0) {
      strikes.put(whose + "-killed", kills);
    }
  }
}
