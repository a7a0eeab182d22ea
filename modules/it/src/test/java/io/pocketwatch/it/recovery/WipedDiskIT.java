// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.ROUTE;
import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.it.recovery.Effects.Effect;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker that loses its disk while the store holds messages. {@code -Drecovery.messages} sets how
 * many, and {@code -Drecovery.window} within how many seconds they are due: from a quarter of it
 * on, or a minute.
 */
@Tag("wide")
class WipedDiskIT {
  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.version("4.3").dedicated().allowingOpenConnections();

  private static final Logger LOG = LoggerFactory.getLogger(WipedDiskIT.class);
  private static final int MESSAGES = Integer.getInteger("recovery.messages", 1_000);
  private static final Duration WINDOW =
      Duration.ofSeconds(Integer.getInteger("recovery.window", 40));
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder().sweep(Duration.ofMillis(500)).build();

  @Test
  void what_it_held_arrives_all_the_same_and_on_time_and_takes_effect_once() throws Exception {
    try (RecoveryWorld world = new RecoveryWorld(BROKER::connectionFactory, OPTIONS)) {
      world.loader();
      Effects effects = world.effects();
      Workers before = world.workers(4, effects);
      Random random = new Random(7);
      long earliest = Math.min(60_000, WINDOW.toMillis() / 4);
      Instant base = world.store().now().plusMillis(earliest);
      int length = (int) (WINDOW.toMillis() - earliest);
      world.publish(
          MESSAGES, i -> message("m-" + i).deliverAt(base.plusMillis(random.nextInt(length))));
      await()
          .atMost(Duration.ofMillis(earliest))
          .until(() -> world.count(MessageState.PENDING) == MESSAGES);
      assertThat(effects.count()).isZero();

      Instant lost = world.store().now();
      BROKER.node().kill();
      BROKER.node().wipe();
      BROKER.node().start();
      before.close();
      BROKER.restoreVirtualHost();
      world.declareTarget();
      Instant back = world.store().now();
      Workers after = world.workers(4, effects);

      await()
          .atMost(WINDOW.plusSeconds(120))
          .pollInterval(Duration.ofMillis(500))
          .until(() -> effects.count() == MESSAGES);
      await()
          .during(Duration.ofSeconds(2))
          .atMost(Duration.ofSeconds(20))
          .until(() -> world.waiting(ROUTE) == 0);
      Map<String, Effect> all = effects.all();
      Instant again = back.plusSeconds(10);
      LOG.info(
          "{} messages due {} to {} s ahead, and the broker lost its disk; it was away {} ms."
              + " Lateness of all: {}; of those due 10 s after it was back: {}",
          MESSAGES,
          earliest / 1_000,
          WINDOW.toSeconds(),
          Duration.between(lost, back).toMillis(),
          Lateness.of(all.values()),
          Lateness.of(
              all.values().stream().filter(effect -> effect.deliverAt().isAfter(again)).toList()));

      assertThat(all).hasSize(MESSAGES);
      assertThat(all.values()).noneMatch(effect -> effect.latenessMillis() < 0);
      assertThat(effects.second()).isZero();
      assertThat(world.count(MessageState.SETTLED)).isEqualTo(MESSAGES);
      assertThat(after.arrivals()).as("copies that arrived").isEqualTo(MESSAGES);
      assertThat(world.resent().overdue()).as("sent again as overdue").isZero();
    }
  }

  /** Nobody has settled anything, so that a few are sent again first, to see. */
  @Test
  void what_was_in_its_queues_comes_again() throws Exception {
    LoaderOptions options =
        LoaderOptions.builder()
            .sweep(Duration.ofMillis(500))
            .grace(Duration.ofSeconds(1))
            .maxSilence(Duration.ofSeconds(10))
            .build();
    try (RecoveryWorld world = new RecoveryWorld(BROKER::connectionFactory, options)) {
      world.loader();
      Effects effects = world.effects();
      world.publish(MESSAGES, i -> message("m-" + i).delay(Duration.ofMillis(200)));
      await().atMost(Duration.ofSeconds(30)).until(() -> world.waiting(ROUTE) == MESSAGES);
      await().atMost(Duration.ofSeconds(30)).until(() -> world.count(MessageState.PENDING) == 0);

      BROKER.node().kill();
      BROKER.node().wipe();
      BROKER.node().start();
      BROKER.restoreVirtualHost();
      world.declareTarget();
      Instant back = world.store().now();
      world.workers(4, effects);

      await()
          .atMost(Duration.ofSeconds(180))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> effects.count() == MESSAGES);
      LOG.info(
          "{} messages were in a queue, and the broker lost its disk; max-silence is {}."
              + " {} ms after it was back all were handled. Late in ms: {}",
          MESSAGES,
          options.maxSilence(),
          Duration.between(back, world.store().now()).toMillis(),
          Lateness.of(effects.all().values()));
      assertThat(effects.second()).isZero();
      await().until(() -> world.count(MessageState.SETTLED) == MESSAGES);
    }
  }
}
