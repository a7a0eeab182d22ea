// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.harness.Watch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@TestInstance(Lifecycle.PER_CLASS)
class SqlPeersIT {
  private static final int MESSAGES = 300;

  /** Quartz waits until two milliseconds before a trigger's instant, and then fires it. */
  private static final long QUARTZ_EARLY_MICROS = 2_000;

  private Ground ground;

  @BeforeAll
  void open() throws IOException {
    ground = new Ground();
  }

  @AfterAll
  void close() {
    ground.close();
  }

  static List<Subject> subjects() {
    return SqlPeers.all();
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void everyMessageArrivesOnceAndNoneEarly(Subject subject) throws Exception {
    Due soon = Due.within(Duration.ofMillis(500), Duration.ofSeconds(2));

    Outcome outcome =
        new Trial(ground, subject, new Silent()).run(Plan.atFullSpeed(MESSAGES, soon, true));

    assertThat(outcome.refusal()).isNull();
    assertThat(outcome.confirmed()).isEqualTo(MESSAGES);
    assertThat(outcome.arrived()).isEqualTo(MESSAGES);
    assertThat(outcome.repeated()).isZero();
    assertThat(outcome.worstEarlyMicros())
        .isLessThanOrEqualTo(subject instanceof QuartzSubject ? QUARTZ_EARLY_MICROS : 0);
  }

  private static final class Silent implements Watch {
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
