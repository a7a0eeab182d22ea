// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * How one thing went, by the medians of three equal times. It has grown if the last median is more
 * than a tenth above the first one, and by more than chance would do.
 *
 * @param gauge of what
 * @param samples how many are in the first median or in the last, whichever has fewer
 * @param medians first, second and last; 0 without samples
 * @param slack by how much the last may be above the first
 * @param apart the time between the middles of first and last
 * @param finding what it says
 */
public record Trend(
    Gauge gauge, int samples, List<Long> medians, long slack, Duration apart, Finding finding) {
  /** What can be said. */
  public enum Finding {
    LEVEL,
    GROWN,
    /** Its process was started anew meanwhile: the two cannot be compared. */
    STARTED_ANEW,
    /** What is kept for a while only rises in it. */
    RUN_TOO_SHORT,
    TOO_FEW_SAMPLES;

    /** As in the report. */
    public String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private static final int LEAST_SAMPLES = 2;
  private static final int TENTH = 10;
  private static final int MIDDLE = 1;

  /** Of every gauge. */
  public static List<Trend> all(List<Sample> samples, Thirds thirds) {
    return Gauge.ALL.stream().map(gauge -> of(gauge, samples, thirds)).toList();
  }

  static Trend of(Gauge gauge, List<Sample> samples, Thirds thirds) {
    List<Long> medians = new ArrayList<>();
    int fewest = Integer.MAX_VALUE;
    for (int third = 0; third < 3; third++) {
      List<Long> values =
          thirds.of(third, samples).stream()
              .map(sample -> sample.values().get(gauge))
              .filter(Objects::nonNull)
              .sorted()
              .toList();
      fewest = third == MIDDLE ? fewest : Math.min(fewest, values.size());
      medians.add(values.isEmpty() ? 0 : values.get(values.size() / 2));
    }
    long slack = Math.max(gauge.kind().slack(), medians.get(0) / TENTH);
    return new Trend(
        gauge,
        fewest,
        List.copyOf(medians),
        slack,
        thirds.apart(),
        finding(gauge, thirds, samples, fewest, medians.get(2) - medians.get(0) > slack));
  }

  private static Finding finding(
      Gauge gauge, Thirds thirds, List<Sample> samples, int fewest, boolean more) {
    if (gauge.kind().kept() && !thirds.steady()) {
      return Finding.RUN_TOO_SHORT;
    }
    long lives =
        thirds.all(samples).stream()
            .map(sample -> sample.lives().get(gauge.part()))
            .filter(Objects::nonNull)
            .distinct()
            .count();
    if (gauge.kind().ofProcess() && lives > 1) {
      return Finding.STARTED_ANEW;
    }
    if (fewest < LEAST_SAMPLES) {
      return Finding.TOO_FEW_SAMPLES;
    }
    return more ? Finding.GROWN : Finding.LEVEL;
  }

  /** A growth of less than this per hour would have passed for level. */
  public double unseenPerHour() {
    return slack * (double) Duration.ofHours(1).toMillis() / apart.toMillis();
  }

  @Override
  public String toString() {
    return "%s: %s (%s, %s, %s; up to %s more is allowed)"
        .formatted(
            gauge.words(),
            finding.words(),
            gauge.show(medians.get(0)),
            gauge.show(medians.get(1)),
            gauge.show(medians.get(2)),
            gauge.show(slack));
  }
}
