// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;

/** Corrects the drain rate of trials that do not count from the first due instant. */
final class Drained {
  private Drained() {}

  /**
   * @param seconds how much longer it took than from the first due instant to the last arrival;
   *     negative if it took less
   */
  static Outcome longerBy(double seconds, Outcome outcome) {
    double whole = outcome.arrived() / outcome.drainPerSecond() + seconds;
    return new Outcome(
        outcome.asked(),
        outcome.confirmed(),
        outcome.arrived(),
        outcome.early(),
        outcome.worstEarlyMicros(),
        outcome.repeated(),
        outcome.publishPerSecond(),
        outcome.arrived() / whole,
        outcome.lateness(),
        outcome.brokerRssBytes(),
        outcome.brokerCpuMicros(),
        outcome.clientCpuMicros(),
        outcome.refusal(),
        outcome.restart(),
        outcome.minutes());
  }
}
