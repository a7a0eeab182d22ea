// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jfree.data.xy.XYSeries;

/**
 * What drifts over minutes, from the rounds that tell their {@code minute}: {@code p50} and {@code
 * p99} in milliseconds, {@code brokerRssMb}.
 */
final class LongRunPlots {
  private static final String MINUTE = "minute";

  private LongRunPlots() {}

  static List<Plot> of(List<Figures> subjects) {
    Curves lateness = new Curves();
    Curves memory = new Curves();
    for (Figures figures : subjects) {
      String label = Labels.of(figures);
      add(lateness, label + " p50", figures, "p50", LatenessPlots.SMALLEST_MILLIS);
      add(lateness, label + " p99", figures, "p99", LatenessPlots.SMALLEST_MILLIS);
      add(memory, label, figures, "brokerRssMb", 0);
    }
    List<Plot> plots = new ArrayList<>();
    if (!lateness.isEmpty()) {
      plots.add(
          lateness.logPlot(
              "lateness",
              "Lateness over time",
              Curves.fromZero("minutes"),
              LatenessPlots.UNIT,
              LatenessPlots.SMALLEST_MILLIS));
    }
    if (!memory.isEmpty()) {
      plots.add(
          memory.plot(
              "memory",
              "Memory of the servers over time",
              Curves.fromZero("minutes"),
              Curves.fromZero("MB")));
    }
    return plots;
  }

  private static void add(
      Curves curves, String label, Figures figures, String key, double smallest) {
    XYSeries curve = new XYSeries(label);
    for (Map<String, Object> round : figures.rounds()) {
      if (round.get(MINUTE) instanceof Number minute && round.get(key) instanceof Number value) {
        curve.add(minute.doubleValue(), Math.max(value.doubleValue(), smallest));
      }
    }
    if (!curve.isEmpty()) {
      curves.add(curve);
    }
  }
}
