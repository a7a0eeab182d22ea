// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.harness.Watch;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class BrokerPeersIT {
  private static final int MESSAGES = 300;
  private static Ground ground;

  @BeforeAll
  static void layGround() throws IOException {
    ground = new Ground();
  }

  @AfterAll
  static void close() {
    ground.close();
  }

  static Stream<Subject> peers() {
    return BrokerPeers.all().stream();
  }

  @ParameterizedTest
  @MethodSource("peers")
  @Timeout(180)
  void everyMessageArrivesAndNoneEarlierThanTold(Subject peer) throws Exception {
    Due due =
        peer.fixedDelay()
            .map(Due::after)
            .orElseGet(() -> Due.within(Duration.ofSeconds(2), Duration.ofSeconds(5)));
    Outcome outcome;
    try {
      outcome = new Trial(ground, peer, new Silence()).run(new Plan(MESSAGES, 0, 2, due, true));
    } catch (NotHereException e) {
      Assumptions.abort(peer.name() + ": " + e.getMessage());
      return;
    }

    assertThat(outcome.refusal()).isNull();
    assertThat(outcome.confirmed()).isEqualTo(MESSAGES);
    assertThat(outcome.arrived()).isEqualTo(MESSAGES);
    assertThat(Duration.ofNanos(outcome.worstEarlyMicros() * 1_000))
        .isLessThanOrEqualTo(peer.resolution().minusMillis(1));
  }

  private record Silence() implements Watch, Watch.Line {
    @Override
    public void say(String news) {}

    @Override
    public Watch.Line line(String subject, Plan plan, Ledger ledger) {
      return this;
    }

    @Override
    public void show(String what, long now, long goal) {}

    @Override
    public void close() {}
  }
}
