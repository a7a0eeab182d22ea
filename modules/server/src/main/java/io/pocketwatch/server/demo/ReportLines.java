// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A report as people read it. */
final class ReportLines {
  private ReportLines() {}

  static List<String> table(DemoReport report) {
    TextTable table =
        new TextTable(
            "strategy",
            "sent",
            "arrived",
            "cancelled",
            "late p50 ms",
            "p99",
            "max",
            "early",
            "lost",
            "twice");
    report.strategies().forEach((strategy, counts) -> row(table, strategy.name(), counts));
    row(table, "all", report.total());
    return table.lines();
  }

  private static void row(TextTable table, String name, Counts counts) {
    table.row(
        name,
        Numbers.count(counts.scheduled()),
        Numbers.count(counts.delivered()),
        Numbers.count(counts.cancelled()),
        millis(counts.latenessMs().p50()),
        millis(counts.latenessMs().p99()),
        millis(counts.latenessMs().max()),
        Numbers.count(counts.early()),
        Numbers.count(counts.lost()),
        Numbers.count(counts.duplicates()));
  }

  private static String millis(@Nullable Double millis) {
    return millis == null ? "-" : String.format(Locale.ROOT, "%,.1f", millis);
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
    return ("Store: all %s tasks accounted for: %s handled once and in time, %d of them moved on the"
            + " way, %d cancelled. None lost, none early, none twice.")
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
