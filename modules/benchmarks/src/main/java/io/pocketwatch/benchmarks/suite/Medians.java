// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.report.Figures;
import io.pocketwatch.benchmarks.report.Figures.Lateness;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** From rounds to the figures that are published. */
final class Medians {
  private static final double MICROS_PER_MILLI = 1_000;

  /** In bytes. */
  static final double MEGABYTE = 1 << 20;

  private Medians() {}

  /** The middle one; between the two middle ones if there is none. */
  static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The median over the rounds of one subject's figure by another's of the same round. */
  static Optional<Double> ratio(Case one, Case other, ToDoubleFunction<Outcome> figure) {
    int rounds = Math.min(one.outcomes().size(), other.outcomes().size());
    if (rounds == 0) {
      return Optional.empty();
    }
    return Optional.of(
        median(
            IntStream.range(0, rounds)
                .mapToDouble(
                    round ->
                        figure.applyAsDouble(one.outcomes().get(round))
                            / figure.applyAsDouble(other.outcomes().get(round)))
                .toArray()));
  }

  /** A percentile in milliseconds. */
  static double millis(Histogram micros, double percentile) {
    return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
  }

  /**
   * @param lateness whether it means something in this suite
   */
  static Figures figures(Case measured, boolean lateness) {
    List<Outcome> outcomes = measured.outcomes();
    return new Figures(
        measured.subject().name(),
        measured.setting(),
        of(outcomes, Outcome::publishPerSecond),
        of(outcomes, Outcome::drainPerSecond),
        lateness ? lateness(outcomes) : null,
        outcomes.stream().mapToLong(Outcome::early).sum(),
        outcomes.stream().mapToLong(Outcome::repeated).sum(),
        outcomes.stream().mapToLong(Outcome::missing).sum(),
        of(outcomes, outcome -> outcome.brokerRssBytes() / MEGABYTE),
        of(outcomes, Outcome::brokerCpuMicros),
        of(outcomes, Outcome::clientCpuMicros),
        measured.subject().durability(),
        outcomes.stream().flatMap(outcome -> raw(outcome, lateness)).toList(),
        outcomes.stream().map(Outcome::refusal).filter(Objects::nonNull).findFirst().orElse(null));
  }

  private static @Nullable Double of(List<Outcome> outcomes, ToDoubleFunction<Outcome> figure) {
    if (outcomes.isEmpty()) {
      return null;
    }
    double median = median(outcomes.stream().mapToDouble(figure).toArray());
    return median > 0 ? median : null;
  }

  private static @Nullable Lateness lateness(List<Outcome> outcomes) {
    if (outcomes.isEmpty()) {
      return null;
    }
    return new Lateness(
        percentile(outcomes, 50),
        percentile(outcomes, 99),
        percentile(outcomes, 99.9),
        outcomes.stream().mapToDouble(outcome -> millis(outcome.lateness(), 100)).max().orElse(0));
  }

  private static double percentile(List<Outcome> outcomes, double percentile) {
    return median(
        outcomes.stream().mapToDouble(outcome -> millis(outcome.lateness(), percentile)).toArray());
  }

  private static Stream<Map<String, Object>> raw(Outcome outcome, boolean lateness) {
    return outcome.minutes().isEmpty()
        ? Stream.of(round(outcome, lateness))
        : outcome.minutes().stream();
  }

  private static Map<String, Object> round(Outcome outcome, boolean lateness) {
    Map<String, Object> raw = new LinkedHashMap<>();
    raw.put("messages", outcome.asked());
    raw.put("confirmed", outcome.confirmed());
    raw.put("publishPerSecond", outcome.publishPerSecond());
    raw.put("drainPerSecond", outcome.drainPerSecond());
    if (lateness) {
      raw.put("p50", millis(outcome.lateness(), 50));
      raw.put("p99", millis(outcome.lateness(), 99));
      raw.put("p999", millis(outcome.lateness(), 99.9));
      raw.put("max", millis(outcome.lateness(), 100));
    }
    raw.put("early", outcome.early());
    raw.put("brokerRssMb", outcome.brokerRssBytes() / MEGABYTE);
    Duration restart = outcome.restart();
    if (restart != null) {
      raw.put("restartSeconds", restart.toMillis() / 1_000.0);
    }
    return raw;
  }
}
