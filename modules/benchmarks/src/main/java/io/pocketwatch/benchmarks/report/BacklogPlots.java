// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import io.pocketwatch.benchmarks.report.Figures.Lateness;
import io.pocketwatch.screen.Numbers;
import java.util.ArrayList;
import java.util.List;

/** What held messages cost. */
final class BacklogPlots {
  private static final String HELD = "held";

  private BacklogPlots() {}

  static List<Plot> of(List<Figures> subjects) {
    Bars memory = new Bars();
    Bars lateness = new Bars();
    for (Figures figures : subjects) {
      if (figures.setting().get(HELD) instanceof Number held) {
        String series = Numbers.count(held.longValue()) + " held";
        Double rss = figures.brokerRssMb();
        Lateness late = figures.latenessMs();
        if (rss != null) {
          memory.add(series, figures.name(), rss);
        }
        if (late != null) {
          lateness.add(series, figures.name(), Math.max(late.p99(), LatenessPlots.SMALLEST_MILLIS));
        }
      }
    }
    List<Plot> plots = new ArrayList<>();
    if (!memory.isEmpty()) {
      plots.add(memory.plot("memory", "Memory of the servers with messages held", "MB"));
    }
    if (!lateness.isEmpty()) {
      plots.add(
          lateness.logPlot(
              "p99",
              "99 % of messages are no later than this, with others held",
              LatenessPlots.UNIT,
              LatenessPlots.SMALLEST_MILLIS));
    }
    return plots;
  }
}
