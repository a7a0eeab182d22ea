// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import io.pocketwatch.benchmarks.report.Figures.Lateness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jfree.data.xy.XYSeries;

/** Percentiles at one rate, and the 99th over all rates. */
final class LatenessPlots {
  static final String UNIT = "lateness in ms";

  /** Clocks and schedulers blur what is below; zero has no place on a logarithmic axis. */
  static final double SMALLEST_MILLIS = 0.1;

  private static final String RATE = "rate";
  private static final double TARGET_RATE = 4_000;
  private static final double MICROS_PER_MILLI = 1_000;
  private static final int STEPS_PER_NINE = 20;

  private LatenessPlots() {}

  static List<Plot> of(List<Figures> subjects, Map<String, Histogram> latenessByLabel) {
    List<Plot> plots = new ArrayList<>();
    rateToShow(subjects).ifPresent(rate -> percentiles(subjects, rate, latenessByLabel, plots));
    overRates(subjects, plots);
    return plots;
  }

  /** The rate that most subjects were measured at; of several the one nearest to our targets'. */
  private static Optional<Double> rateToShow(List<Figures> subjects) {
    Map<Double, Long> counts =
        subjects.stream()
            .filter(figures -> figures.latenessMs() != null)
            .map(LatenessPlots::rate)
            .flatMap(Optional::stream)
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return counts.entrySet().stream()
        .max(
            Map.Entry.<Double, Long>comparingByValue()
                .thenComparing(entry -> -Math.abs(entry.getKey() - TARGET_RATE)))
        .map(Map.Entry::getKey);
  }

  private static void percentiles(
      List<Figures> subjects, double rate, Map<String, Histogram> histograms, List<Plot> plots) {
    Curves curves = new Curves();
    long values = 0;
    for (Figures figures : subjects) {
      Histogram histogram = histograms.get(Labels.of(figures));
      if (histogram != null && rate(figures).filter(own -> own == rate).isPresent()) {
        curves.add(curve(figures.name(), histogram));
        values = Math.max(values, histogram.getTotalCount());
      }
    }
    if (!curves.isEmpty()) {
      String title = String.format(Locale.ROOT, "Lateness at %,.0f messages/s", rate);
      plots.add(
          curves.logPlot("percentiles", title, new PercentileAxis(values), UNIT, SMALLEST_MILLIS));
    }
  }

  private static XYSeries curve(String name, Histogram histogram) {
    XYSeries curve = new XYSeries(name);
    double end = Math.log10(Math.max(10, histogram.getTotalCount()));
    for (int step = 0; step <= end * STEPS_PER_NINE; step++) {
      double position = step / (double) STEPS_PER_NINE;
      double percentile = 100 - 100 / Math.pow(10, position);
      double millis = histogram.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
      curve.add(position, Math.max(millis, SMALLEST_MILLIS));
    }
    return curve;
  }

  private static void overRates(List<Figures> subjects, List<Plot> plots) {
    Map<String, XYSeries> byName = new LinkedHashMap<>();
    subjects.stream()
        .filter(figures -> figures.latenessMs() != null && rate(figures).isPresent())
        .sorted(Comparator.comparing(figures -> rate(figures).orElseThrow()))
        .forEach(
            figures -> {
              Lateness lateness = figures.latenessMs();
              if (lateness != null) {
                byName
                    .computeIfAbsent(figures.name(), XYSeries::new)
                    .add(
                        (double) rate(figures).orElseThrow(),
                        Math.max(lateness.p99(), SMALLEST_MILLIS));
              }
            });
    Curves curves = new Curves();
    // In the order of the results, so that a subject has one colour in both plots.
    subjects.stream()
        .map(Figures::name)
        .distinct()
        .map(byName::get)
        .filter(Objects::nonNull)
        .forEach(curves::add);
    if (!curves.isEmpty()) {
      plots.add(
          curves.logPlot(
              "p99",
              "99 % of messages are no later than this",
              Curves.fromZero("messages/s"),
              UNIT,
              SMALLEST_MILLIS));
    }
  }

  private static Optional<Double> rate(Figures figures) {
    return figures.setting().get(RATE) instanceof Number rate
        ? Optional.of(rate.doubleValue())
        : Optional.empty();
  }
}
