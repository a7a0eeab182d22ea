// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.DEAD;
import static io.pocketwatch.it.recovery.RecoveryWorld.ROUTE;
import static io.pocketwatch.it.recovery.RecoveryWorld.key;
import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumers that are down, and handlers that fail, while a loader looks for what is overdue. */
@Tag("wide")
class StoppedConsumerIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final Logger LOG = LoggerFactory.getLogger(StoppedConsumerIT.class);
  private static final int MESSAGES = Integer.getInteger("recovery.messages", 2_000);
  private static final int BEFORE = 50;
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder()
          .sweep(Duration.ofMillis(200))
          .grace(GRACE)
          .maxSilence(Duration.ofMinutes(30))
          .targetPatience(Duration.ofHours(1))
          .build();

  private RecoveryWorld world;

  @BeforeEach
  void open() throws Exception {
    world = new RecoveryWorld(BROKER::connectionFactory, OPTIONS);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @Test
  void what_waits_for_a_stopped_consumer_is_not_sent_again_and_handled_once_when_it_is_back()
      throws Exception {
    Loader loader = world.loader();
    Effects effects = world.effects();
    Workers before = world.workers(2, effects);
    world.publish(BEFORE, i -> message("before-" + i).delay(Duration.ofMillis(300)));
    await().atMost(Duration.ofSeconds(20)).until(() -> effects.count() == BEFORE);
    before.close();

    Random random = new Random(5);
    Instant base = world.store().now().plusSeconds(2 + MESSAGES / 2_000);
    world.publish(
        MESSAGES, i -> message("m-" + i).deliverAt(base.plusMillis(random.nextInt(2_000))));
    await()
        .atMost(Duration.ofSeconds(120))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> world.waiting(ROUTE) == MESSAGES);
    await()
        .during(GRACE.multipliedBy(3))
        .atMost(GRACE.multipliedBy(10))
        .pollInterval(Duration.ofMillis(500))
        .until(() -> world.waiting(ROUTE) == MESSAGES);

    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> world.count(MessageState.HELD) == MESSAGES);
    assertThat(world.resent().overdue()).as("sent again").isZero();
    assertThat(world.count(MessageState.PARKED)).as("parked").isZero();
    assertThat(loader.state().silentRoutes()).isEqualTo(Set.of(ROUTE));
    assertThat(loader.state().warning()).isTrue();
    assertThat(world.resent().silent()).isPositive();

    Instant restart = Instant.now();
    Workers after = world.workers(4, effects);
    await()
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> world.count(MessageState.SETTLED) == BEFORE + MESSAGES);
    LOG.info(
        "{} messages waited 3 x {}; handled in {} ms after the restart",
        MESSAGES,
        GRACE,
        Duration.between(restart, Instant.now()).toMillis());
    await()
        .during(GRACE)
        .atMost(GRACE.multipliedBy(10))
        .until(() -> world.waiting(ROUTE) == 0 && loader.state().silentRoutes().isEmpty());

    assertThat(effects.count()).isEqualTo(BEFORE + MESSAGES);
    assertThat(effects.second()).isZero();
    assertThat(after.arrivals()).as("copies that arrived").isEqualTo(MESSAGES);
    assertThat(after.skipped()).as("copies in vain").isZero();
    assertThat(world.resent().overdue()).as("sent again").isZero();
  }

  @Test
  void what_a_handler_gave_up_is_in_its_dead_letter_queue_once() throws Exception {
    Loader loader = world.loader();
    Effects effects = world.effects();
    Workers workers =
        world.workers(
            1,
            (id, delivery) -> {
              if (id.equals("bad")) {
                throw new IllegalStateException("always");
              }
              effects.handle(id, delivery);
            });
    world.publish(1, i -> message("bad").delay(Duration.ofMillis(300)));
    // Others overtake it: that is what a loader takes for a loss.
    world.publish(10, i -> message("good-" + i).delay(Duration.ofMillis(500 + 600L * i)));

    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> world.count(MessageState.SETTLED) == 10 && world.waiting(DEAD) == 1);
    await()
        .during(GRACE.multipliedBy(3))
        .atMost(GRACE.multipliedBy(10))
        .pollInterval(Duration.ofMillis(500))
        .until(() -> world.waiting(DEAD) == 1 && world.waiting(ROUTE) == 0);

    StoredMessage bad = world.store().find(key("bad")).orElseThrow();
    assertThat(bad.state()).isEqualTo(MessageState.FAILED);
    assertThat(bad.generation()).isEqualTo(1);
    assertThat(bad.reason()).contains("always");
    assertThat(workers.arrivals()).isEqualTo(11);
    assertThat(world.resent().overdue()).isZero();
    assertThat(loader.state().warning()).isFalse();
  }
}
