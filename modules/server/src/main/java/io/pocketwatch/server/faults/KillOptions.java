// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How often each is killed. */
final class KillOptions {
  private static final int MOST_KILLS = 10_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

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
          "Over all rounds, 0 to 10000; default 1 per 30,000 messages, at least 1. H2 is restarted"
              + " instead.")
  private @Nullable Integer databaseKills;

  @Option(
      names = "--consumer-kills",
      paramLabel = "N",
      description = "Over all rounds, 0 to 10000; default 1 per 15,000 messages, at least 1.")
  private @Nullable Integer consumerKills;

  /**
   * How many of each kind.
   *
   * @param all messages of all rounds
   * @param given whether the database is somebody else's
   */
  Map<FaultKind, Integer> kills(long all, boolean given) {
    Map<FaultKind, Integer> kills = new EnumMap<>(FaultKind.class);
    kills.put(FaultKind.LOADER, kills("--loader-kills", loaderKills, FaultKind.LOADER, all));
    kills.put(FaultKind.BROKER, kills("--broker-kills", brokerKills, FaultKind.BROKER, all));
    kills.put(
        FaultKind.CONSUMER, kills("--consumer-kills", consumerKills, FaultKind.CONSUMER, all));
    if (!given) {
      kills.put(
          FaultKind.DATABASE, kills("--database-kills", databaseKills, FaultKind.DATABASE, all));
    } else if (databaseKills != null && databaseKills != 0) {
      throw new ParameterException(
          spec.commandLine(), "--database-kills: a database given with --store is not killed");
    }
    return kills;
  }

  private int kills(String option, @Nullable Integer given, FaultKind kind, long all) {
    int kills = given == null ? kind.usualKills(all) : given;
    FaultsCommand.requireWithin(spec, option, kills, 0, MOST_KILLS);
    return kills;
  }
}
