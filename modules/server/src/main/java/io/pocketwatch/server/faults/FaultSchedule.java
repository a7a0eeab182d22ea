// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Which faults fall into which round, and when.
 *
 * @param rounds per round its faults, earliest first
 */
record FaultSchedule(List<List<Fault>> rounds) {
  /** Nothing is killed before there is work, nor so late that nothing would be disturbed. */
  private static final double FIRST = 0.1;

  private static final double LAST = 0.9;

  /**
   * Spreads the kills evenly over the rounds, and within each at random.
   *
   * @param kills how many of each kind over all rounds
   */
  static FaultSchedule of(
      Map<FaultKind, Integer> kills, int count, Duration length, Random random) {
    List<List<Fault>> rounds = new ArrayList<>();
    for (int round = 0; round < count; round++) {
      rounds.add(new ArrayList<>());
    }
    int next = 0;
    for (FaultKind kind : FaultKind.values()) {
      for (int kill = 0; kill < kills.getOrDefault(kind, 0); kill++) {
        double part = FIRST + random.nextDouble() * (LAST - FIRST);
        Duration at = Duration.ofMillis((long) (length.toMillis() * part));
        rounds.get(next++ % count).add(new Fault(kind, at));
      }
    }
    rounds.forEach(faults -> faults.sort(Comparator.comparing(Fault::at)));
    return new FaultSchedule(rounds.stream().map(List::copyOf).toList());
  }
}
