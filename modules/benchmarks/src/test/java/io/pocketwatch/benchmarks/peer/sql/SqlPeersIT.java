// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.PeersContract;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("wide")
final class SqlPeersIT extends PeersContract {
  /** Quartz waits until two milliseconds before a trigger's instant, and then fires it. */
  private static final long QUARTZ_EARLY_MICROS = 2_000;

  @Override
  protected List<Subject> peers() {
    return SqlPeers.all();
  }

  @Override
  protected Plan plan(Subject peer) {
    return Plan.atFullSpeed(300, Due.within(Duration.ofMillis(500), Duration.ofSeconds(2)), true);
  }

  @Override
  protected void check(Subject peer, Outcome outcome) {
    assertThat(outcome.repeated()).isZero();
    assertThat(outcome.worstEarlyMicros())
        .isLessThanOrEqualTo(peer instanceof QuartzSubject ? QUARTZ_EARLY_MICROS : 0);
  }
}
