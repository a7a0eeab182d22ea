// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A report as people read it. */
final class ReportLines {
  private static final double SECOND = 1_000; // milliseconds

  private ReportLines() {}

  /** A column for each strategy: their names are wider than any number, and few. */
  static List<String> table(DemoReport report) {
    List<String> names = new ArrayList<>(List.of("strategy"));
    List<Counts> counts = new ArrayList<>();
    report
        .strategies()
        .forEach(
            (strategy, each) -> {
              names.add(strategy.name());
              counts.add(each);
            });
    names.add("all");
    counts.add(report.total());
    TextTable table = new TextTable(names.toArray(String[]::new));
    row(table, "sent", counts, each -> Numbers.count(each.scheduled()));
    row(table, "arrived", counts, each -> Numbers.count(each.delivered()));
    row(table, "cancelled", counts, each -> Numbers.count(each.cancelled()));
    row(table, "late p50", counts, each -> millis(each.latenessMs().p50()));
    row(table, "late p99", counts, each -> millis(each.latenessMs().p99()));
    row(table, "late max", counts, each -> millis(each.latenessMs().max()));
    row(table, "early", counts, each -> Numbers.count(each.early()));
    row(table, "lost", counts, each -> Numbers.count(each.lost()));
    row(table, "twice", counts, each -> Numbers.count(each.duplicates()));
    return table.lines();
  }

  private static void row(
      TextTable table, String name, List<Counts> counts, Function<Counts, String> cell) {
    table.row(Stream.concat(Stream.of(name), counts.stream().map(cell)).toArray(String[]::new));
  }

  private static String millis(@Nullable Double millis) {
    if (millis == null) {
      return "-";
    }
    return millis < SECOND
        ? String.format(Locale.ROOT, "%.1f ms", millis)
        : String.format(Locale.ROOT, "%,.1f s", millis / SECOND);
  }

  /** The outcome in one sentence. */
  static String verdict(Counts total) {
    if (!total.sound()) {
      return "Not as promised: " + String.join(", ", faults(total)) + ".";
    }
    String cancelled =
        total.cancelled() == 0 ? "" : ", " + Numbers.count(total.cancelled()) + " cancelled";
    String twice = total.duplicates() == 0 ? "none" : Numbers.count(total.duplicates());
    return "All %s accounted for: %s delivered%s. None lost, none early, %s twice."
        .formatted(
            Numbers.count(total.scheduled()), Numbers.count(total.delivered()), cancelled, twice);
  }

  /** What became of the tasks that went through the store, in one sentence. */
  static String verdict(StoreCounts store) {
    if (!store.sound()) {
      List<String> faults = new ArrayList<>();
      fault(faults, store.lost(), "lost");
      fault(faults, store.early(), "early");
      fault(faults, store.duplicates(), "handled twice");
      fault(faults, store.unexplained(), "unexplained");
      return "Store, not as promised: " + String.join(", ", faults) + ".";
    }
    return ("Store: all %s tasks accounted for: %s handled once and in time, %s of them moved on the"
            + " way, %s cancelled. None lost, none early, none twice.")
        .formatted(
            Numbers.count(store.scheduled()),
            Numbers.count(store.arrived()),
            store.moved(),
            store.cancelled());
  }

  private static List<String> faults(Counts total) {
    List<String> faults = new ArrayList<>();
    fault(faults, total.lost(), "lost");
    fault(faults, total.early(), "early");
    fault(faults, total.unconfirmed(), "not confirmed by the broker");
    fault(faults, total.unexplained(), "unexplained");
    return faults;
  }

  private static void fault(List<String> faults, int number, String what) {
    if (number > 0) {
      faults.add(Numbers.count(number) + " " + what);
    }
  }
}
