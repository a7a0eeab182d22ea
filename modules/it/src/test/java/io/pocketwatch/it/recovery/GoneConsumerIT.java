// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.ROUTE;
import static io.pocketwatch.it.recovery.RecoveryWorld.key;
import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.Handlings;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages are lost after a consumer, which has settled some before, was given another name. */
@Tag("wide")
class GoneConsumerIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final int LOST = 30;
  private static final int LATER = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder()
          .sweep(Duration.ofMillis(200))
          .grace(Duration.ofSeconds(1))
          .maxSilence(Duration.ofSeconds(5))
          .targetPatience(Duration.ofHours(1))
          .build();

  @Test
  void those_that_the_new_one_has_overtaken_are_sent_again() throws Exception {
    try (RecoveryWorld world = new RecoveryWorld(BROKER::connectionFactory, OPTIONS)) {
      world.loader();
      world.publish(1, i -> message("before").delay(Duration.ofMillis(300)));
      await().atMost(PATIENCE).until(() -> world.waiting(ROUTE) == 1);
      Handlings.Answer begun =
          Handlings.of(world.store()).begin(key("before"), 1, "its-name-before", PATIENCE);
      Handlings.of(world.store()).settle(begun.handling());
      assertThat(world.count(MessageState.SETTLED)).isEqualTo(1);
      world.publish(LOST, i -> message("lost-" + i).delay(Duration.ofMillis(300)));
      await().atMost(PATIENCE).until(() -> world.waiting(ROUTE) == 1 + LOST);
      world.declareTarget(); // purges it

      Effects effects = world.effects();
      Workers workers = world.workers(2, effects);
      world.publish(LATER, i -> message("later-" + i).delay(Duration.ofMillis(300 + 500L * i)));

      await().atMost(PATIENCE).until(() -> effects.count() == LOST + LATER);
      assertThat(effects.second()).isZero();
      assertThat(workers.arrivals()).isEqualTo(LOST + LATER);
      assertThat(world.resent().overdue()).as("sent again").isEqualTo(LOST);
      assertThat(world.resent().silent()).isPositive();
    }
  }
}
