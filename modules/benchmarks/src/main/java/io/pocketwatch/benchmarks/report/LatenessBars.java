// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import io.pocketwatch.benchmarks.report.Figures.Lateness;
import java.util.List;

/** How late, where there is one setting only. */
final class LatenessBars {
  private LatenessBars() {}

  static List<Plot> of(List<Figures> subjects) {
    Bars bars = new Bars();
    for (Figures figures : subjects) {
      Lateness lateness = figures.latenessMs();
      if (lateness != null) {
        String label = Labels.of(figures);
        bars.add("p50", label, Math.max(lateness.p50(), LatenessPlots.SMALLEST_MILLIS));
        bars.add("p99", label, Math.max(lateness.p99(), LatenessPlots.SMALLEST_MILLIS));
      }
    }
    return bars.isEmpty()
        ? List.of()
        : List.of(
            bars.logPlot(
                "lateness",
                "Lateness, half of the messages and 99 %",
                LatenessPlots.UNIT,
                LatenessPlots.SMALLEST_MILLIS));
  }
}
