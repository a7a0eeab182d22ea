// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Ledgers;
import io.pocketwatch.benchmarks.harness.NotHereException;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Without the flag, as the plugin needs it, which is seldom at hand: here with no such queue. */
@Timeout(120)
final class ConfirmedChannelsIT {
  private static Ground ground;

  @BeforeAll
  static void layGround() throws IOException {
    ground = new Ground();
  }

  @AfterAll
  static void close() {
    ground.close();
  }

  @ParameterizedTest
  @CsvSource({"true, 1", "false, 0"})
  void what_reaches_no_queue_is_returned_only_if_mandatory(boolean mandatory, long returned)
      throws Exception {
    Ledger ledger = Ledgers.of(1);
    try (RabbitServer.VirtualHost host = server().virtualHost();
        ConfirmedChannels channels = new ConfirmedChannels(host.connect(), mandatory, ledger)) {
      channels.publish("", "nowhere", MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[0]);

      await().untilAsserted(() -> assertThat(ledger.confirmed()).isEqualTo(1));
      assertThat(ledger.refused()).isEqualTo(returned); // a return comes before the confirm
    }
  }

  private static RabbitServer server() throws Exception {
    try {
      return RabbitServer.single(ground);
    } catch (NotHereException e) {
      return Assumptions.abort(e.getMessage());
    }
  }
}
