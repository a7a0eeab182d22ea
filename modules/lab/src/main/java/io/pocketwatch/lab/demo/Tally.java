// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Adds up messages. */
final class Tally {
  private static final int SIGNIFICANT_DIGITS = 3;

  private final Map<Fate, Integer> fates = new EnumMap<>(Fate.class);
  private final Histogram latenessMicros = new Histogram(SIGNIFICANT_DIGITS);
  private int early;
  private int duplicates;

  void add(Entry entry) {
    fates.merge(entry.fate(), 1, Integer::sum);
    duplicates += Math.max(0, entry.arrivals() - 1);
    Duration lateness = entry.lateness();
    if (lateness == null) {
      return;
    }
    if (lateness.isNegative()) {
      early++; // and not in the histogram, which it would make look better
    } else {
      latenessMicros.recordValue(TimeUnit.NANOSECONDS.toMicros(lateness.toNanos()));
    }
  }

  void add(Tally other) {
    other.fates.forEach((fate, number) -> fates.merge(fate, number, Integer::sum));
    latenessMicros.add(other.latenessMicros);
    early += other.early;
    duplicates += other.duplicates;
  }

  Counts counts() {
    return new Counts(
        fates.values().stream().mapToInt(Integer::intValue).sum(),
        number(Fate.DELIVERED),
        number(Fate.CANCELLED),
        number(Fate.UNCONFIRMED),
        number(Fate.LOST),
        early,
        duplicates,
        number(Fate.UNEXPLAINED),
        Lateness.of(latenessMicros));
  }

  private int number(Fate fate) {
    return fates.getOrDefault(fate, 0);
  }
}
