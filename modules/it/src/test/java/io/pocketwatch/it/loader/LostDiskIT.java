// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A broker that comes back without its disk. */
@Tag("wide")
class LostDiskIT {
  private static final int ROWS = 200;

  @RegisterExtension
  static final BrokerExtension BROKER = Brokers.shared().dedicated().allowingOpenConnections();

  @Test
  void what_it_held_is_loaded_again_and_arrives_on_time() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(), TestDatabases.h2(), Tracking.FULL, options -> options)) {
      Instant due = world.store.now().plusSeconds(60);
      world.insert(ROWS, due);
      AtomicInteger lost = new AtomicInteger();
      Loader loader =
          world.loader(
              event -> {
                if (event instanceof StoreEvent.EpochLost epochLost) {
                  lost.addAndGet(epochLost.messages());
                }
              });
      loader.start();
      await().atMost(Duration.ofSeconds(20)).until(() -> held(world).size() == ROWS);

      BROKER.node().kill();
      BROKER.node().wipe();
      BROKER.node().start();
      BROKER.restoreVirtualHost();
      World.target(BROKER.connectionFactory());
      await().atMost(Duration.ofSeconds(30)).until(() -> world.publisher.status().connected());
      await().atMost(Duration.ofSeconds(20)).until(() -> lost.get() == ROWS);
      await().atMost(Duration.ofSeconds(20)).until(() -> held(world).size() == ROWS);
      assertThat(held(world)).extracting(StoredMessage::epoch).containsOnly(epoch(world));
      assertThat(held(world)).allMatch(row -> row.generation() == 1, "the same generation");
      assertThat(world.store.now()).isBefore(due);
      Map<String, Integer> arrived = world.arrivals();
      await().atMost(Duration.ofSeconds(60)).until(() -> arrived.size() == ROWS);
      assertThat(arrived.values()).containsOnly(1);
      assertThat(world.store.now()).isBetween(due, due.plusSeconds(10));
    }
  }

  private static List<StoredMessage> held(World world) {
    return world.store.list(MessageQuery.all().states(MessageState.HELD).limit(1_000));
  }

  private static String epoch(World world) {
    return world.store.epoch().orElseThrow();
  }
}
