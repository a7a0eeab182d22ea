// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.ROUTE;
import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumers end without a process that dies: whatever they had comes again by itself. */
@Tag("ci")
class LostConsumersIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(8);

  /** It waits for an answer of a consumer for so long. */
  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.version("4.3")
          .with(
              options ->
                  options.withAdvancedConfig(
                      "[{rabbit,[{consumer_timeout,%s},{channel_tick_interval,500}]}]."
                          .formatted(TIMEOUT.toMillis())))
          .allowingOpenConnections();

  private static final Logger LOG = LoggerFactory.getLogger(LostConsumersIT.class);
  private static final int MESSAGES = 100;
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration SILENCE = Duration.ofSeconds(5);
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder()
          .sweep(Duration.ofMillis(500))
          .grace(Duration.ofSeconds(1))
          .maxSilence(SILENCE)
          .build();

  @Test
  void what_was_in_a_deleted_queue_and_with_its_consumers_comes_again() throws Exception {
    CountDownLatch deleted = new CountDownLatch(1);
    CountDownLatch handling = new CountDownLatch(2);
    try (RecoveryWorld world = new RecoveryWorld(BROKER::connectionFactory, OPTIONS)) {
      world.loader();
      Effects effects = world.effects();
      Workers before =
          world.workers(
              2,
              (id, delivery) -> {
                handling.countDown();
                deleted.await();
                effects.handle(id, delivery);
              },
              LEASE);
      world.publish(MESSAGES, i -> message("m-" + i).delay(Duration.ofMillis(200)));
      handling.await();
      await().until(() -> world.count(MessageState.PENDING) == 2); // those that are handled

      world.deleteTarget();
      deleted.countDown();
      await().atMost(Duration.ofSeconds(20)).until(() -> effects.count() >= 2);
      before.close();
      world.declareTarget();
      world.workers(2, effects, LEASE);

      allTakeEffectOnce(world, effects, "Their queue was deleted; silence counts after " + SILENCE);
    }
  }

  @Test
  void what_a_consumer_hangs_on_and_what_waits_behind_it_comes_again() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    try (RecoveryWorld world = new RecoveryWorld(BROKER::connectionFactory, OPTIONS)) {
      world.loader();
      Effects effects = world.effects();
      Workers hung =
          world.workers(
              1,
              (id, delivery) -> {
                hangs.set(true);
                never.await();
              },
              LEASE);
      world.publish(MESSAGES, i -> message("m-" + i).delay(Duration.ofMillis(200)));
      await().untilTrue(hangs);
      world.workers(2, effects, LEASE);

      allTakeEffectOnce(world, effects, "A consumer hung; the broker waits " + TIMEOUT);
      assertThat(world.resent().abandoned()).isPositive();
      never.countDown();
      hung.close();
    }
  }

  private static void allTakeEffectOnce(RecoveryWorld world, Effects effects, String why)
      throws Exception {
    await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> effects.count() == MESSAGES);
    await().until(() -> world.count(MessageState.SETTLED) == MESSAGES);
    await().until(() -> world.waiting(ROUTE) == 0);
    LOG.info("{}. {} messages, late in ms: {}", why, MESSAGES, Lateness.of(effects.all().values()));
    assertThat(effects.second()).isZero();
  }
}
