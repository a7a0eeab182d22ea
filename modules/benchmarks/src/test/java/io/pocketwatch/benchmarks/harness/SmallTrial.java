// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/** Shows that a subject does what it is there for: every message arrives once, and none early. */
public final class SmallTrial {
  private static final Duration LEAST = Duration.ofMillis(500);
  private static final Duration MOST = Duration.ofSeconds(5);

  private SmallTrial() {}

  /** With delays of half a second to five seconds, as fast as the subject takes them. */
  public static void run(Ground ground, Subject subject, int messages) throws Exception {
    Plan plan = Plan.atFullSpeed(messages, Due.within(LEAST, MOST), true);
    Outcome outcome = new Trial(ground, subject, new Silence()).run(plan);
    print(subject, outcome);
    assertThat(outcome.refusal()).isNull();
    assertThat(outcome.confirmed()).isEqualTo(messages);
    assertThat(outcome.arrived()).isEqualTo(messages);
    assertThat(outcome.repeated()).isZero();
    assertThat(outcome.early()).isZero();
  }

  private static void print(Subject subject, Outcome outcome) {
    Histogram lateness = outcome.lateness();
    System.out.printf(
        "%s: publish %.0f/s, late p50 %.1f ms, p99 %.1f ms, max %.1f ms, early %d (%d us)%n",
        subject.name(),
        outcome.publishPerSecond(),
        lateness.getValueAtPercentile(50) / 1e3,
        lateness.getValueAtPercentile(99) / 1e3,
        lateness.getMaxValue() / 1e3,
        outcome.early(),
        outcome.worstEarlyMicros());
  }

  private static final class Silence implements Watch {
    @Override
    public void say(String news) {}

    @Override
    public Line line(String subject, Plan plan, Ledger ledger) {
      return new Line() {
        @Override
        public void show(String what, long now, long goal) {}

        @Override
        public void close() {}
      };
    }
  }
}
