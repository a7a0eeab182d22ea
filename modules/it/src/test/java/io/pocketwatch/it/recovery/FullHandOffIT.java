// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** More stored messages than a publisher can take to the broker. */
class FullHandOffIT {
  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.version("4.3").dedicated().allowingOpenConnections();

  /** What may wait for the broker, be on its way to it, and some more. */
  private static final int MESSAGES = 30_000;

  /** Leases far longer than the test. */
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder().lease(Duration.ofHours(1)).sweep(Duration.ofMillis(200)).build();

  @Test
  void what_finds_no_room_is_left_to_the_loaders_before_its_lease_is_over() throws Exception {
    try (RecoveryWorld world = new RecoveryWorld(BROKER::connectionFactory, OPTIONS)) {
      world.loader();
      BROKER.node().pause();
      try {
        world.publish(MESSAGES, i -> message("m-" + i).delay(Duration.ofMillis(1_500)));
        assertThat(world.count(MessageState.PENDING)).isEqualTo(MESSAGES);
      } finally {
        BROKER.node().resume();
      }

      await()
          .atMost(Duration.ofSeconds(180))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> world.count(MessageState.HELD) == MESSAGES);
    }
  }
}
