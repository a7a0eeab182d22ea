// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every outcome is a promise, also while the broker is killed: a short run with one kill, or {@code
 * -Dpocketwatch.ledger.minutes=10} with three and the whole wheel.
 */
@Tag("wide")
class RestartLedgerIT {
  private static final String MINUTES = "pocketwatch.ledger.minutes";

  @Test
  void every_id_is_accounted_for() throws Exception {
    Integer minutes = Integer.getInteger(MINUTES);
    try (BrokerNode node = SharedNodes.own(SharedNodes.NEWEST)) {
      LedgerReport report =
          minutes == null
              ? new RestartLedger(node, World.SMALL_WHEEL, 300).run(Duration.ofSeconds(15), 1)
              : new RestartLedger(node, WheelOptions.defaults(), 400)
                  .run(Duration.ofMinutes(minutes), 3);
      System.out.println(report.toJson());

      assertThat(report.kept()).as(report.toJson()).isTrue();
      assertThat(report.confirmed()).as(report.toJson()).isGreaterThan(report.scheduled() / 4);
    }
  }
}
