// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.PeersContract;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

@Tag("wide")
@Timeout(60)
final class RedisPeersIT extends PeersContract {
  @Override
  protected List<Subject> peers() {
    return RedisPeers.all();
  }

  @Override
  protected Plan plan(Subject peer) {
    return Plan.atFullSpeed(300, Due.within(Duration.ofMillis(500), Duration.ofSeconds(5)), true);
  }

  @Override
  protected void check(Subject peer, Outcome outcome) {
    assertThat(outcome.repeated()).isZero();
    assertThat(outcome.early()).isZero();
  }
}
