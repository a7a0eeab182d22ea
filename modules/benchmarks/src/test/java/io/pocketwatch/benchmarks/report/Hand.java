// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import io.pocketwatch.benchmarks.report.Figures.Lateness;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Results made by hand. */
final class Hand {
  static final List<String> NAMES =
      List.of("undelayed publish", "wheel-quorum", "wheel-classic", "ttl-queue", "db-scheduler");

  private Hand() {}

  static Results throughput() {
    return results(
        "throughput",
        IntStream.range(0, NAMES.size())
            .mapToObj(
                i -> figures(NAMES.get(i), Map.of(), 14_204.4567 / (i * i + 1), 5 + i * i * 80))
            .toList());
  }

  static Results lateness() {
    return results(
        "lateness",
        NAMES.stream()
            .flatMap(
                name ->
                    List.of(500, 1_000, 4_000, 8_000).stream()
                        .map(
                            rate ->
                                figures(
                                    name,
                                    Map.of("rate", rate),
                                    rate,
                                    (NAMES.indexOf(name) + 1) * rate / 400.0)))
            .toList());
  }

  static Results backlog() {
    return results(
        "backlog",
        NAMES.stream()
            .flatMap(
                name ->
                    List.of(0, 100_000, 1_000_000).stream()
                        .map(held -> figures(name, Map.of("held", held), 9_000, 4 + held / 2_000)))
            .toList());
  }

  static Results longRun() {
    List<Map<String, Object>> minutes =
        IntStream.range(0, 30)
            .<Map<String, Object>>mapToObj(
                minute ->
                    Map.of("minute", minute, "p50", 4 + minute % 3, "p99", 21, "brokerRssMb", 180))
            .toList();
    Figures figures = figures("wheel-quorum", Map.of(), 4_000, 21);
    return results(
        "longrun",
        List.of(
            new Figures(
                figures.name(),
                Map.of(),
                null,
                null,
                figures.latenessMs(),
                0,
                0,
                0,
                180.0,
                null,
                null,
                figures.durability(),
                minutes,
                null)));
  }

  static Map<String, Histogram> histograms(Results results) {
    Map<String, Histogram> histograms = new LinkedHashMap<>();
    Random random = new Random(5);
    results
        .subjects()
        .forEach(
            figures -> {
              Histogram histogram = new Histogram(3_600_000_000L, 3);
              double scale = 1_000.0 * (1 + NAMES.indexOf(figures.name()));
              for (int i = 0; i < 20_000; i++) {
                histogram.recordValue((long) (scale * Math.exp(random.nextGaussian())));
              }
              histograms.put(Labels.of(figures), histogram);
            });
    return histograms;
  }

  private static Results results(String suite, List<Figures> subjects) {
    return new Results(
        suite,
        Map.of("cpu", "a fine one", "cores", 2),
        Map.of("messages", 20_000),
        subjects,
        Map.of("wheel-quorum/undelayed publish", 0.93456),
        Map.of("delayed-exchange", "no plugin file"));
  }

  private static Figures figures(
      String name, Map<String, Object> setting, double publish, double p99) {
    return new Figures(
        name,
        setting,
        publish,
        publish / 2,
        new Lateness(p99 / 4, p99, p99 * 2, p99 * 3.333333),
        0,
        0,
        0,
        214.123 + p99,
        null,
        12.345,
        "a broker's crash",
        List.of(Map.of("publishPerSecond", publish)),
        name.startsWith("db") ? "polls every 100 ms" : null);
  }
}
