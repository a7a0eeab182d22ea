// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The whole wheel on one node, killed and restarted again and again under traffic: two rounds, or
 * {@code -Dkillloop.rounds=100}.
 */
@Tag("wide")
class HoldQueueKillLoopIT {
  private static final String ROUNDS = "killloop.rounds";
  private static final Duration PER_ROUND = Duration.ofSeconds(10);

  @Test
  void loses_nothing_and_leaves_every_hold_queue_running() throws Exception {
    int rounds = Integer.getInteger(ROUNDS, 2);
    try (BrokerNode node = SharedNodes.own(SharedNodes.NEWEST)) {
      RestartLedger ledger = new RestartLedger(node, WheelOptions.defaults(), 200);

      LedgerReport report = ledger.run(PER_ROUND.multipliedBy(rounds + 1L), rounds);

      System.out.println(report.toJson());
      assertThat(report.kept()).as(report.toJson()).isTrue();
      assertThat(report.kills()).isEqualTo(rounds);
      await().atMost(Duration.ofSeconds(30)).until(() -> notRunning(node).isEmpty());
    }
  }

  private static List<String> notRunning(BrokerNode node) {
    List<String> holds =
        node.ctl("-q", "list_queues", "name", "state")
            .lines()
            .filter(line -> line.startsWith("ledger.wheel.") || line.startsWith("ledger.ttl."))
            .toList();
    assertThat(holds).hasSize(271 + 3);
    return holds.stream().filter(line -> !line.endsWith("\trunning")).toList();
  }
}
