// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

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

@Timeout(180)
@Tag("wide")
final class BrokerPeersIT extends PeersContract {
  @Override
  protected List<Subject> peers() {
    return BrokerPeers.all();
  }

  @Override
  protected Plan plan(Subject peer) {
    Due due =
        peer.fixedDelay()
            .map(Due::after)
            .orElseGet(() -> Due.within(Duration.ofSeconds(2), Duration.ofSeconds(5)));
    return new Plan(300, 0, 2, due, true);
  }

  /** A timer of seconds may fire within the second before. */
  @Override
  protected void check(Subject peer, Outcome outcome) {
    assertThat(Duration.ofNanos(outcome.worstEarlyMicros() * 1_000))
        .isLessThanOrEqualTo(peer.resolution().minusMillis(1));
  }
}
