// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import io.pocketwatch.lab.faults.account.Figure;
import io.pocketwatch.lab.faults.account.RoundResult;
import io.pocketwatch.lab.faults.database.DatabaseFault;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * All rounds of a run.
 *
 * @param seed repeats the schedule, though not the run: processes take their own time
 * @param rounds in order
 * @param skipped the faults no broker could be had for
 * @param broker version of RabbitMQ
 * @param database its product, version and place
 * @param databaseFault what a fault of the database is
 * @param seconds the whole run
 */
public record FaultsReport(
    long seed,
    List<RoundResult> rounds,
    Set<String> skipped,
    String broker,
    String database,
    DatabaseFault databaseFault,
    long seconds)
    implements RunReport {

  /** Whether every round kept what the table promises. */
  @Override
  public boolean sound() {
    return all().sound();
  }

  private Totals all() {
    return new Totals(rounds);
  }

  private Map<String, Totals> byFault() {
    return rounds.stream()
        .collect(
            Collectors.groupingBy(
                RoundResult::fault,
                TreeMap::new,
                Collectors.collectingAndThen(Collectors.toList(), Totals::new)));
  }

  @Override
  public String json() {
    return Json.line(values());
  }

  /** What the JSON object holds. */
  Map<String, Object> values() {
    Map<String, Object> object = new LinkedHashMap<>(all().values());
    object.put("seed", seed);
    Map<String, Integer> strikes = new TreeMap<>();
    rounds.forEach(
        round ->
            round.strikes().forEach((fault, count) -> strikes.merge(fault, count, Integer::sum)));
    object.put("strikes", strikes);
    Map<String, Object> faults = new LinkedHashMap<>();
    byFault().forEach((fault, totals) -> faults.put(fault, totals.values()));
    object.put("faults", faults);
    object.put("broken", broken());
    object.put("skipped", skipped);
    object.put("broker", broker);
    object.put("database", database);
    object.put("databaseFault", databaseFault.word());
    object.put("seconds", seconds);
    return object;
  }

  List<String> broken() {
    return rounds.stream()
        .flatMap(round -> round.broken().stream().map(words -> name(round) + " " + words))
        .toList();
  }

  private static String name(RoundResult round) {
    return "%s, %s hold queues:"
        .formatted(round.fault(), round.hold().name().toLowerCase(Locale.ROOT));
  }

  /** One line per fault. */
  @Override
  public List<String> table() {
    TextTable table =
        new TextTable(
            "fault",
            "rounds",
            "messages",
            "handled",
            "parked",
            "lost",
            "allowed",
            "early",
            "allowed",
            "twice sent",
            "twice done",
            "worst late");
    byFault().forEach((fault, totals) -> row(table, fault, totals));
    row(table, "all", all());
    return table.lines();
  }

  private static void row(TextTable table, String name, Totals totals) {
    table.row(
        name,
        Numbers.count(totals.rounds().size()),
        Numbers.count(totals.of(Figure.MESSAGES)),
        Numbers.count(totals.of(Figure.HANDLED)),
        Numbers.count(totals.of(Figure.PARKED)),
        Numbers.count(totals.of(Figure.LOST)),
        Numbers.count(totals.of(Figure.LOST_ALLOWED)),
        Numbers.count(totals.of(Figure.EARLY)),
        Numbers.count(totals.of(Figure.EARLY_ALLOWED)),
        Numbers.count(totals.of(Figure.DUPLICATE_DELIVERIES)),
        Numbers.count(totals.of(Figure.DUPLICATE_EFFECTS)),
        Numbers.count(totals.worstLatenessMs()) + " ms");
  }

  @Override
  public String verdict() {
    long kept = rounds.stream().filter(RoundResult::sound).count();
    int restarted = all().of(Figure.NODES_RESTARTED);
    String left =
        skipped.isEmpty() ? "" : " NOT RUN for want of a broker: " + String.join(", ", skipped);
    return sound()
        ? "All %s kept the guarantee table.".formatted(Numbers.of(kept, "round"))
            + (restarted == 0
                ? ""
                : " %s passed nothing on any more and had to be restarted."
                    .formatted(Numbers.of(restarted, "node")))
            + left
        : "NOT kept in %s of %s rounds: %s"
                .formatted(rounds.size() - kept, rounds.size(), String.join("; ", broken()))
            + left;
  }
}
