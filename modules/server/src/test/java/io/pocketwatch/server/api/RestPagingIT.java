// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Pages while rows come, go and move: what does not change is in them exactly once. */
class RestPagingIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final int ROWS = 600;
  private static final int ROUNDS = 5;
  private static final int MOST_CHANGES_THAT_ADD = 2_000;
  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.postgresql();
    server = RestServer.start(folder, database, broker, "server: {limits: {requests: 100000}}\n");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @Test
  void what_does_not_change_is_there_exactly_once() throws Exception {
    long seed = Long.getLong("paging.seed", System.nanoTime());
    System.out.println("pages of RestPagingIT: -Dpaging.seed=" + seed);
    Random random = new Random(seed);
    Instant base = Instant.parse("2200-01-01T00:00:00Z");
    Set<String> still = new TreeSet<>();
    List<MessageKey> moving = new ArrayList<>();
    List<ScheduledMessage> rows =
        IntStream.range(0, ROWS)
            .mapToObj(i -> row(random.nextBoolean() ? "orders" : "mail", "m" + i, base, random))
            .toList();
    server.store().insert(rows, null);
    rows.forEach(
        each -> {
          if (random.nextInt(3) == 0) {
            moving.add(each.key());
          } else {
            still.add(each.key().toString());
          }
        });

    AtomicBoolean end = new AtomicBoolean();
    CompletableFuture<Void> changes =
        CompletableFuture.runAsync(() -> change(moving, base, new Random(seed + 1), end));
    try {
      for (int round = 0; round < ROUNDS; round++) {
        int limit = 1 + random.nextInt(97);
        List<String> paged = page("/api/v1/messages?dueFrom=2199-12-01T00:00:00Z&limit=" + limit);
        assertExactlyOnce(still, paged, limit);
        List<String> pending =
            page("/api/v1/messages?state=PENDING,HELD&dueFrom=2199-12-01T00:00:00Z&limit=" + limit);
        assertExactlyOnce(still, pending, limit);
      }
    } finally {
      end.set(true);
      changes.join();
    }
  }

  private static void assertExactlyOnce(Set<String> still, List<String> paged, int limit) {
    assertThat(paged.stream().filter(still::contains))
        .as("in pages of %s", limit)
        .doesNotHaveDuplicates()
        .hasSize(still.size());
  }

  private static List<String> page(String path) throws Exception {
    List<String> found = new ArrayList<>();
    String next = "";
    while (next != null) {
      JsonNode page = json(server.get(path + next), 200);
      page.at("/items")
          .forEach(each -> found.add(each.get("route").asText() + "/" + each.get("id").asText()));
      next = page.get("next").isNull() ? null : "&cursor=" + page.get("next").textValue();
    }
    return found;
  }

  private static void change(
      List<MessageKey> moving, Instant base, Random random, AtomicBoolean end) {
    for (int i = 0; !end.get(); i++) {
      MessageKey key = moving.get(random.nextInt(moving.size()));
      switch (random.nextInt(4)) {
        case 0 -> server.store().cancel(key);
        case 1 -> {
          if (i < MOST_CHANGES_THAT_ADD) { // or pages of one row would never catch up
            server.store().insert(List.of(row(key.route(), "new" + i, base, random)), null);
          }
        }
        default -> server.store().reschedule(key, base.plusMillis(random.nextInt(2_000) - 1_000));
      }
    }
  }

  /** Many at the same instant. */
  private static ScheduledMessage row(String route, String id, Instant base, Random random) {
    return new ScheduledMessage(
        new MessageKey(route, id),
        null,
        "",
        route,
        new byte[] {0, 0},
        new byte[] {1},
        base.plusMillis(random.nextInt(40)),
        Tracking.FULL);
  }
}
