// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;

/** Shows that a subject does what it is there for: every message is taken, and arrives. */
public final class SmallTrial {
  private SmallTrial() {}

  /** What it found beyond that, printed as well. */
  public static Outcome run(Ground ground, Subject subject, Plan plan) throws Exception {
    Outcome outcome = new Trial(ground, subject, new Silence()).run(plan);
    print(subject, outcome);
    assertThat(outcome.refusal()).isNull();
    assertThat(outcome.confirmed()).isEqualTo(plan.messages());
    assertThat(outcome.arrived()).isEqualTo(plan.messages());
    return outcome;
  }

  private static void print(Subject subject, Outcome outcome) {
    Histogram lateness = outcome.lateness();
    System.out.printf(
        "%s: publish %.0f/s, late p50 %.1f ms, p99 %.1f ms, max %.1f ms, early %s (%s us)%n",
        subject.name(),
        outcome.publishPerSecond(),
        lateness.getValueAtPercentile(50) / 1e3,
        lateness.getValueAtPercentile(99) / 1e3,
        lateness.getMaxValue() / 1e3,
        outcome.early(),
        outcome.worstEarlyMicros());
  }
}
