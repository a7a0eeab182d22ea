// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages nobody can send, among thousands that are sound. */
@Tag("wide")
class PoisonIT {
  private static final int ROWS = 10_000;
  private static final int LARGEST_MESSAGE = 65_536;
  private static final BasicProperties TOO_LARGE =
      new BasicProperties.Builder().headers(Map.of("x", "x".repeat(200_000))).build();

  /** Sound: a loader of another name sends it without. */
  private static final BasicProperties FROM_ANOTHER =
      new BasicProperties.Builder().userId("somebody").build();

  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.version("4.3")
          .with(
              options -> options.withConfigLines(List.of("max_message_size = " + LARGEST_MESSAGE)));

  @Test
  void is_parked_with_the_brokers_reason_and_all_others_arrive() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(), TestDatabases.h2(), Tracking.HANDOFF, options -> options)) {
      Instant now = world.store.now();
      List<ScheduledMessage> rows = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        byte[] body = new byte[i % 2_000 == 777 ? LARGEST_MESSAGE + 1 : 100];
        ScheduledMessage row = world.row("m-" + i, now.plusMillis(i / 100), body);
        rows.add(
            i % 2_000 == 1_234
                ? World.withProperties(row, TOO_LARGE)
                : i % 2_000 == 999 ? World.withProperties(row, FROM_ANOTHER) : row);
      }
      world.insert(rows);
      Map<String, Integer> arrived = world.arrivals();
      world.loader().start();

      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> arrived.size() == ROWS - 10 && parked(world).size() == 10);
      assertThat(parked(world))
          .allMatch(row -> reason(row).contains(expected(row)), "with the reason");
      assertThat(world.store.list(MessageQuery.all().states(MessageState.HELD).limit(10_000)))
          .hasSize(ROWS - 10)
          .allMatch(row -> row.attempts() == 0, "no attempt lost");
    }
  }

  private static List<StoredMessage> parked(World world) {
    return world.store.list(MessageQuery.all().states(MessageState.PARKED));
  }

  private static String expected(StoredMessage row) {
    return row.message().body().length > 100
        ? "PRECONDITION_FAILED - message size"
        : "the connection's frame size";
  }

  private static String reason(StoredMessage row) {
    return String.valueOf(row.reason());
  }
}
