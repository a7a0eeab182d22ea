// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import io.pocketwatch.lab.faults.driver.RoundPlan.Strike;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Draws which fault strikes in which round, and when.
 *
 * @param length of a round
 * @param random repeated by the seed
 */
public record Planner(Duration length, Random random) {
  /** Nothing strikes before there is work. */
  private static final double FIRST = 0.1;

  /** Nor, of one fault alone, so late that little would be disturbed. */
  private static final double LAST = 0.5;

  private static final double LAST_OF_SEVERAL = 0.9;

  /** Part of the distance by which it may be more or less. */
  private static final double JITTER = 0.2;

  /**
   * One fault in each round: each of them with each type of hold queue, in any order, and again
   * from the start. Rounds that can share brokers and processes come one after the other.
   */
  public List<RoundPlan> each(List<Fault> faults, List<HoldQueueType> holds, int rounds) {
    List<RoundPlan> plans = new ArrayList<>();
    List<RoundPlan> cycle = List.of();
    for (int i = 0; i < rounds; i++) {
      if (i % (faults.size() * holds.size()) == 0) {
        cycle = cycle(faults, holds);
      }
      plans.add(cycle.get(i % cycle.size()));
    }
    plans.sort(Comparator.comparing(RoundPlan::place).thenComparing(RoundPlan::hold));
    return plans;
  }

  private List<RoundPlan> cycle(List<Fault> faults, List<HoldQueueType> holds) {
    List<RoundPlan> cycle = new ArrayList<>();
    for (Fault fault : faults) {
      for (HoldQueueType hold : holds) {
        cycle.add(new RoundPlan(hold, List.of(new Strike(fault, moment(LAST)))));
      }
    }
    Collections.shuffle(cycle, random);
    return cycle;
  }

  /**
   * Several in each round, which may overlap as they do in life; quorum hold queues.
   *
   * @param counts how often each strikes over all rounds, by its name
   */
  public List<RoundPlan> several(Map<String, Integer> counts, int rounds) {
    List<List<Strike>> strikes = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      strikes.add(new ArrayList<>());
    }
    int next = 0;
    for (Map.Entry<String, Integer> each : counts.entrySet()) {
      Fault fault = Catalogue.named(each.getKey());
      for (int i = 0; i < each.getValue(); i++) {
        strikes.get(next++ % rounds).add(new Strike(fault, moment(LAST_OF_SEVERAL)));
      }
    }
    strikes.forEach(round -> round.sort(Comparator.comparing(Strike::at)));
    return strikes.stream()
        .map(round -> new RoundPlan(HoldQueueType.QUORUM, List.copyOf(round)))
        .toList();
  }

  /**
   * One now and then, at about equal distances: each of them in any order, and again.
   *
   * @param every the distance; the first is due after it, and the last that long before the end
   */
  public List<Strike> nowAndThen(List<Fault> faults, Duration every) {
    List<Strike> strikes = new ArrayList<>();
    List<Fault> cycle = new ArrayList<>();
    Duration at = every;
    while (at.compareTo(length.minus(every)) <= 0) {
      if (cycle.isEmpty()) {
        cycle.addAll(faults);
        Collections.shuffle(cycle, random);
      }
      double shift = (random.nextDouble() - 0.5) * JITTER;
      Duration moved = at.plusMillis((long) (every.toMillis() * shift));
      strikes.add(new Strike(cycle.remove(0), moved));
      at = at.plus(every);
    }
    return strikes;
  }

  private Duration moment(double last) {
    double part = FIRST + random.nextDouble() * (last - FIRST);
    return Duration.ofMillis((long) (length.toMillis() * part));
  }
}
