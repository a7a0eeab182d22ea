// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.catalogue.Fault;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What is to happen in a round.
 *
 * @param hold the type of its hold queues
 * @param strikes earliest first; at least one
 */
public record RoundPlan(HoldQueueType hold, List<Strike> strikes) {
  /**
   * One fault at its moment.
   *
   * @param at from the beginning of the round
   */
  public record Strike(Fault fault, Duration at) {}

  /** Names of its faults, each once, with a plus between them. */
  String name() {
    return strikes.stream()
        .map(strike -> strike.fault().name())
        .distinct()
        .sorted()
        .collect(Collectors.joining("+"));
  }

  /** Whether its broker serves no other round. */
  boolean once() {
    return strikes.stream().anyMatch(strike -> strike.fault().once());
  }

  Fault.Place place() {
    return strikes.stream()
        .map(strike -> strike.fault().place())
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }
}
