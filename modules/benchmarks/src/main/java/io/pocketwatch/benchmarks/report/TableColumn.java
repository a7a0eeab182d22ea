// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import io.pocketwatch.benchmarks.report.Figures.Lateness;
import io.pocketwatch.screen.Numbers;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The columns of a table of results; one is shown if some subject has a figure for it. */
enum TableColumn {
  PUBLISH("publish/s", Figures::publishPerSecond),
  DRAIN("drain/s", Figures::drainPerSecond),
  P50("p50 ms", lateness(Lateness::p50)),
  P99("p99 ms", lateness(Lateness::p99)),
  P999("p99.9 ms", lateness(Lateness::p999)),
  MAX("max ms", lateness(Lateness::max)),
  // Stays when all are 0: that nothing comes early is a result.
  EARLY("early", figures -> (double) figures.early()),
  REPEATED("repeated", figures -> unlessZero(figures.repeated())),
  LOST("lost", figures -> unlessZero(figures.lost())),
  BROKER_MEMORY("broker MB", Figures::brokerRssMb),
  BROKER_CPU("broker µs/msg", Figures::brokerCpuMicros),
  CLIENT_CPU("client µs/msg", Figures::clientCpuMicros);

  private static final String NONE = "-";

  private final String heading;
  private final Function<Figures, @Nullable Double> figure;

  TableColumn(String heading, Function<Figures, @Nullable Double> figure) {
    this.heading = heading;
    this.figure = figure;
  }

  String heading() {
    return heading;
  }

  boolean isIn(List<Figures> subjects) {
    return subjects.stream().anyMatch(subject -> figure.apply(subject) != null);
  }

  String cell(Figures subject) {
    Double value = figure.apply(subject);
    return value == null ? NONE : text(value);
  }

  /** 0.42, 7.4, 1,234: what is known, and no more. */
  private static String text(double value) {
    if (value == Math.rint(value) || Math.abs(value) >= 100) {
      return Numbers.count(Math.round(value));
    }
    return String.format(Locale.ROOT, Math.abs(value) >= 1 ? "%.1f" : "%.2f", value);
  }

  private static Function<Figures, @Nullable Double> lateness(ToDoubleFunction<Lateness> part) {
    return figures -> {
      Lateness lateness = figures.latenessMs();
      return lateness == null ? null : (Double) part.applyAsDouble(lateness);
    };
  }

  private static @Nullable Double unlessZero(long count) {
    return count == 0 ? null : (Double) (double) count;
  }
}
