// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** A node's clock is set, while it runs and across restarts; nobody else's is. */
@Tag("ci")
class SettableClockIT {
  private static final LocalBrokerOptions OPTIONS =
      LocalBrokerOptions.defaults().withVersion("4.3").withPlugins(List.of());

  @Test
  void is_set_while_the_node_runs_and_kept_across_a_restart() {
    try (BrokerNode node = settable()) {
      assertThat(millisAhead(node, "os:system_time")).isCloseTo(0, within(20_000L));

      node.setClock(Duration.ofHours(1));
      assertThat(millisAhead(node, "os:system_time")).isCloseTo(3_600_000, within(20_000L));

      node.kill();
      node.start();
      assertThat(millisAhead(node, "erlang:system_time")).isCloseTo(3_600_000, within(20_000L));

      node.stop();
      node.setClock(Duration.ofMinutes(-5));
      node.start();
      assertThat(millisAhead(node, "erlang:system_time")).isCloseTo(-300_000, within(20_000L));
    }
  }

  private static long millisAhead(BrokerNode node, String clock) {
    long there = Long.parseLong(node.ctl("eval", clock + "(millisecond).").strip());
    return there - System.currentTimeMillis();
  }

  private static BrokerNode settable() {
    try {
      return LocalBroker.find(OPTIONS.withSettableClock(true));
    } catch (BrokerUnavailableException e) {
      System.err.println("### NOT RUN: no broker whose clock can be set: " + e.getMessage());
      throw new TestAbortedException(e.getMessage(), e);
    }
  }
}
