// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * All rounds of a run.
 *
 * @param seed repeats the schedule, though not the run: processes take their own time
 * @param rounds in order
 * @param broker version of RabbitMQ
 * @param database its product, version and place
 * @param databaseFault what was done to it
 * @param seconds the whole run
 */
record FaultsReport(
    long seed,
    List<RoundResult> rounds,
    String broker,
    String database,
    DatabaseFault databaseFault,
    long seconds) {

  boolean sound() {
    return rounds.stream().allMatch(RoundResult::sound);
  }

  private int sum(ToIntFunction<RoundResult> value) {
    return rounds.stream().mapToInt(value).sum();
  }

  private long worstLatenessMs() {
    return rounds.stream().mapToLong(RoundResult::worstLatenessMs).max().orElse(0);
  }

  private int kills(FaultKind kind) {
    return sum(round -> round.kills().getOrDefault(kind, 0));
  }

  /** One line of JSON. */
  String json() {
    Map<String, Object> kills = new LinkedHashMap<>();
    for (FaultKind kind : FaultKind.values()) {
      kills.put(kind.word(), kills(kind));
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("rounds", rounds.size());
    all.put("seed", seed);
    all.put("messages", sum(RoundResult::messages));
    all.put("confirmed", sum(RoundResult::confirmed));
    all.put("handled", sum(RoundResult::handled));
    all.put("lost", sum(RoundResult::lost));
    all.put("early", sum(RoundResult::early));
    all.put("duplicateDeliveries", sum(RoundResult::duplicateDeliveries));
    all.put("duplicateEffects", sum(RoundResult::duplicateEffects));
    all.put("worstLatenessMs", worstLatenessMs());
    all.put("uncertain", sum(RoundResult::uncertain));
    all.put("rejected", sum(RoundResult::rejected));
    all.put("heldAgain", sum(RoundResult::heldAgain));
    all.put("unknown", sum(RoundResult::unknown));
    all.put("deadLettered", sum(RoundResult::deadLettered));
    all.put("restartedThemselves", sum(RoundResult::restartedThemselves));
    all.put("kills", kills);
    all.put("broker", broker);
    all.put("database", database);
    all.put("databaseFault", databaseFault.word());
    all.put("seconds", seconds);
    return Json.line(all);
  }

  /** One line per round. */
  List<String> table() {
    TextTable table =
        new TextTable(
            "round",
            "messages",
            "handled",
            "lost",
            "early",
            "twice sent",
            "twice done",
            "worst late",
            "kills");
    for (int i = 0; i < rounds.size(); i++) {
      RoundResult round = rounds.get(i);
      table.row(
          Integer.toString(i + 1),
          Numbers.count(round.messages()),
          Numbers.count(round.handled()),
          Numbers.count(round.lost()),
          Numbers.count(round.early()),
          Numbers.count(round.duplicateDeliveries()),
          Numbers.count(round.duplicateEffects()),
          Numbers.count(round.worstLatenessMs()) + " ms",
          Numbers.count(round.kills().values().stream().mapToInt(Integer::intValue).sum()));
    }
    return table.lines();
  }

  String verdict() {
    String kills =
        "%s of the loader, %s of the broker, %s of the database%s, %s of the consumer"
            .formatted(
                Numbers.count(kills(FaultKind.LOADER)),
                Numbers.count(kills(FaultKind.BROKER)),
                Numbers.count(kills(FaultKind.DATABASE)),
                databaseFault == DatabaseFault.RESTARTED ? " (orderly restarts)" : "",
                Numbers.count(kills(FaultKind.CONSUMER)));
    return sound()
        ? "Every message was handled once and none early. Kills: " + kills + "."
        : "NOT kept: lost %s, early %s, second effects %s, not taken %s, unknown %s, dead-lettered %s. Kills: %s."
            .formatted(
                Numbers.count(sum(RoundResult::lost)),
                Numbers.count(sum(RoundResult::early)),
                Numbers.count(sum(RoundResult::duplicateEffects)),
                Numbers.count(sum(RoundResult::messages) - sum(RoundResult::confirmed)),
                Numbers.count(sum(RoundResult::unknown)),
                Numbers.count(sum(RoundResult::deadLettered)),
                kills);
  }
}
