// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thirty clients change many messages at once, on a pool of eight. The loader, schedules and what
 * others schedule go on meanwhile, and each message is answered once.
 */
@Tag("wide")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ManyChangesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final int ROWS = Integer.getInteger("pocketwatch.changes.rows", 200_000);
  private static final int CLIENTS = 30;
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Lateness that means nothing on a machine that does other things too. */
  private static final long FLOOR_MILLIS = 1_000;

  @TempDir private Path folder;

  private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
  private final AtomicLong changed = new AtomicLong();
  private final AtomicInteger refused = new AtomicInteger();
  private ServeProcess serve;

  @BeforeEach
  void start() throws Exception {
    serve =
        ServeProcess.start(
            broker,
            new ServeProcess.Setup(
                folder,
                256,
                Map.of("TOKEN", "token-of-desk"),
                List.of("stock", HealthyRoute.QUEUE)),
            """
            routes:
              stock: {routing-key: stock, tracking: full}
              healthy: {routing-key: healthy, tracking: full}
            wheel: {max-delay: 2h, resolution: 100ms, hands: [10m, 1m, 10s, 1s, 100ms]}
            loader: {every: 1h, lead: 1h, sweep: 1s}
            schedules:
              tick: {route: stock, every: 1s, body: '{}'}
            store: {url: 'STORE', connections: 8}
            server:
              port: PORT
              limits: {requests: 1000}
              credentials:
                desk: {role: write, token: 'env:TOKEN'}
            """);
    serve.sql(
        List.of(
            """
          INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties,
            body, deliver_at, first_deliver_at, next_at, tracking, state, created_at, updated_at)
          SELECT 'stock', 'm' || n, 'all', '', 'stock', '\\x0000', '\\x7b7d', 4102444800000 + n,
            4102444800000 + n, 4102444800000 + n, 'FULL', 'PENDING', 1, 1 FROM generate_series(1, %s) n
          """
                .formatted(ROWS),
            "VACUUM ANALYZE pocketwatch_message"));
  }

  @AfterEach
  void stop() throws Exception {
    clients.shutdownNow();
    serve.close();
  }

  @Test
  void do_not_starve_what_else_needs_the_database() throws Exception {
    try (HealthyRoute healthy =
            new HealthyRoute(
                broker.connectionFactory(), serve.uri("/api/v1/messages"), "token-of-desk");
        HealthProbe health = new HealthProbe(serve.uri("/health"))) {
      healthy.start();
      await().atMost(PATIENCE).until(() -> healthy.accepted() > 60);
      List<Long> alone = healthy.takeLateness().stream().sorted().toList();
      long fired = fired();
      long began = System.nanoTime();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        all.add(clients.submit(this::cancelAll));
      }
      for (Future<?> each : all) {
        each.get();
      }
      long millis = (System.nanoTime() - began) / 1_000_000;
      long firedMeanwhile = fired() - fired;
      healthy.stop();
      await().atMost(PATIENCE).until(() -> healthy.arrived() >= healthy.accepted());
      List<Long> meanwhile = healthy.takeLateness().stream().sorted().toList();
      System.out.printf(
          "%s clients cancelled %,d of %,d in %,d ms, %s refusals; others: %s scheduled, refused %s;"
              + " lateness in ms p99/max alone %s/%s, meanwhile %s/%s; fired %s; /health max %s ms%n",
          CLIENTS,
          changed.get(),
          ROWS,
          millis,
          refused.get(),
          healthy.accepted(),
          healthy.refused(),
          percentile(alone, 99),
          percentile(alone, 100),
          percentile(meanwhile, 99),
          percentile(meanwhile, 100),
          firedMeanwhile,
          percentile(health.millis().stream().sorted().toList(), 100));

      assertThat(changed.get()).isEqualTo(ROWS);
      assertThat(
              serve.store().count(MessageQuery.all().route("stock").states(MessageState.CANCELLED)))
          .isEqualTo(ROWS);
      assertThat(serve.log())
          .doesNotContain(
              "not available", "could not go on", "cannot fire", "OutOfMemoryError", "incident");
      assertThat(healthy.refused()).as("refusals of others").isEmpty();
      assertThat(health.wrong()).as("answers of /health").isEmpty();
      assertThat(percentile(meanwhile, 99))
          .as("p99 of the lateness of others in ms")
          .isLessThanOrEqualTo(Math.max(FLOOR_MILLIS, 2 * percentile(alone, 99)));
      assertThat(firedMeanwhile).isGreaterThanOrEqualTo(millis / 1_000 - 3);
    }
  }

  /** Until there are none left. */
  private Object cancelAll() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    String cursor = "";
    while (true) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(serve.uri("/api/v1/messages/changes"))
                  .header("Authorization", "Bearer token-of-desk")
                  .header("Content-Type", "application/json")
                  .POST(
                      BodyPublishers.ofString(
                          "{\"change\":\"cancel\",\"filter\":{\"businessKey\":\"all\"}%s}"
                              .formatted(cursor)))
                  .build(),
              BodyHandlers.ofString());
      if (answer.statusCode() == 429) {
        refused.incrementAndGet();
        long seconds = answer.headers().firstValueAsLong("Retry-After").orElseThrow();
        Thread.sleep(Duration.ofSeconds(seconds).toMillis()); // as the answer asks
        continue;
      }
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonNode json = JSON.readTree(answer.body());
      changed.addAndGet(json.get("changed").longValue());
      if (json.get("next").isNull()) {
        return "";
      }
      cursor = ",\"cursor\":" + json.get("next");
    }
  }

  private long fired() {
    return serve.store().schedule("tick").orElseThrow().fired();
  }

  private static long percentile(List<Long> sorted, int percent) {
    return sorted.isEmpty() ? 0 : sorted.get((sorted.size() - 1) * percent / 100);
  }
}
