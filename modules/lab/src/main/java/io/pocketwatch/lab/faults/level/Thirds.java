// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

import java.time.Duration;
import java.util.List;

/**
 * The time that is compared, in three equal parts.
 *
 * @param from what comes before is left out: caches fill, and classes are loaded
 * @param until the end
 * @param steady whether everything that is kept for a while has been kept for so long from the
 *     beginning of them
 */
public record Thirds(Duration from, Duration until, boolean steady) {
  private static final int COUNT = 3;
  private static final int WARM_UP_PART = 5;
  private static final Duration LONGEST_WARM_UP = Duration.ofMinutes(3);

  /**
   * Of a run, without its first fifth, or its first three minutes.
   *
   * @param steadyAfter left out too, unless that would be more than a third of it
   */
  public static Thirds of(Duration length, Duration steadyAfter) {
    Duration part = length.dividedBy(WARM_UP_PART);
    Duration from = part.compareTo(LONGEST_WARM_UP) < 0 ? part : LONGEST_WARM_UP;
    if (steadyAfter.compareTo(length.dividedBy(COUNT)) > 0) {
      return new Thirds(from, length, false);
    }
    return new Thirds(from.compareTo(steadyAfter) > 0 ? from : steadyAfter, length, true);
  }

  /** From the middle of the first to the middle of the last. */
  Duration apart() {
    return until.minus(from).multipliedBy(COUNT - 1).dividedBy(COUNT);
  }

  /** The samples within all of them. */
  List<Sample> all(List<Sample> samples) {
    return samples.stream()
        .filter(each -> each.at().compareTo(from) >= 0 && each.at().compareTo(until) < 0)
        .toList();
  }

  /** The samples within one of them: 0, 1 or 2. */
  List<Sample> of(int which, List<Sample> samples) {
    long each = until.minus(from).toMillis() / COUNT;
    return all(samples).stream()
        .filter(sample -> Math.min(COUNT - 1, sample.at().minus(from).toMillis() / each) == which)
        .toList();
  }
}
