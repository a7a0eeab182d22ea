// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with a small heap over a store in which everything is as large as it may be, while
 * thirty clients read all there is to read. Prints what it measures.
 */
@Tag("wide")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FullStoreIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final int ROWS = Integer.getInteger("pocketwatch.full.rows", 1_000_000);
  private static final int SECONDS = Integer.getInteger("pocketwatch.full.seconds", 60);
  private static final int SCHEDULES = Integer.getInteger("pocketwatch.full.schedules", 150);
  private static final int RUNS = 400;
  private static final long SEED = Long.getLong("pocketwatch.seed", 4_711);
  private static final int CLIENTS = 30;
  private static final int HEAP_MB = 128;
  private static final int ROUTES = 20;
  private static final int FAT = 2_000;
  private static final long BUDGET = HEAP_MB * 1_048_576L / 8;
  private static final int HEALTH_MILLIS = 1_000;
  private static final int LARGEST = 20;

  /** Small messages under the ids of large ones: each is compared with what is there. */
  private static final String THERE_ALREADY =
      "{\"messages\":[%s]}"
          .formatted(
              Stream.of(ids("huge", LARGEST), ids("fat", 100))
                  .flatMap(each -> each)
                  .map(
                      "{\"route\":\"orders\",\"delay\":\"3h\",\"body\":\"\",\"id\":\"%s\"}"
                          ::formatted)
                  .collect(Collectors.joining(",")));

  private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"");

  @TempDir private Path folder;

  /** Answers by what was asked for and their status. */
  private final Map<String, AtomicLong> answers = new ConcurrentSkipListMap<>();

  private final Map<String, AtomicLong> slowest = new ConcurrentSkipListMap<>();
  private final AtomicLong largest = new AtomicLong();
  private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
  private ServeProcess serve;

  @BeforeEach
  void start() throws Exception {
    StringBuilder routes = new StringBuilder();
    for (int i = 0; i < ROUTES; i++) {
      routes.append(
          "  r%s: {routing-key: r%s, exchange: amq.topic, tracking: full}\n".formatted(i, i));
    }
    serve =
        ServeProcess.start(
            broker,
            new ServeProcess.Setup(
                folder,
                HEAP_MB,
                Map.of("TOKEN", "token-of-all", "OTHER", "token-of-some"),
                List.of("orders")),
            """
            routes:
              orders: {routing-key: orders, tracking: full}
            %swheel: {max-delay: 2h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
            loader: {every: 1h, lead: 1h, sweep: 1s}
            store: {url: 'STORE'}
            server:
              port: PORT
              limits: {requests: 100000, schedules: 1000000}
              credentials:
                all: {role: write, token: 'env:TOKEN'}
                some: {role: read, token: 'env:OTHER', routes: [r1, r2, r3, r4, r5, orders]}
            """
                .formatted(routes));
  }

  @AfterEach
  void stop() throws Exception {
    clients.shutdownNow();
    serve.close();
  }

  @Test
  void is_read_from_all_sides_with_a_small_heap() throws Exception {
    long began = System.nanoTime();
    fill();
    int schedules = fillSchedules();
    System.out.printf(
        "Full store: %,d rows and %s schedules after %s s%n", ROWS, schedules, seconds(began));
    List<String> paths = paths(schedules);
    for (String path : paths) { // each alone, for what cannot be borne at all
      ask(HttpClient.newHttpClient(), path, "token-of-all");
      assertThat(serve.isAlive()).as(path).isTrue();
    }
    ask(
        HttpClient.newHttpClient(),
        "POST",
        "/api/v1/messages/batch",
        THERE_ALREADY,
        "token-of-all");
    assertThat(serve.isAlive()).as("a batch of what is there already").isTrue();
    List<Long> probes;
    try (HealthProbe health = new HealthProbe(serve.uri("/health"))) {
      List<Future<?>> all = new ArrayList<>();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      for (int i = 0; i < CLIENTS; i++) {
        Random random = new Random(SEED + i);
        all.add(clients.submit(() -> client(paths, random, end)));
      }
      for (Future<?> each : all) {
        each.get();
      }
      probes = health.millis().stream().sorted().toList();
      report(probes);
      assertThat(serve.isAlive()).as("serve goes on").isTrue();
      assertThat(health.wrong()).as("answers of /health").isEmpty();
    }
    assertThat(serve.log()).doesNotContain("OutOfMemoryError", "incident", "was not available");
    assertThat(answers.keySet()).allMatch(each -> each.matches(".* (200|403|404|413|429|503)"));
    assertThat(largest.get()).as("bytes of the largest answer").isLessThanOrEqualTo(BUDGET);
    assertThat(count(" 200")).as("answers of 200").isGreaterThan(count("") / 2);
    assertThat(probes.get((probes.size() - 1) * 99 / 100))
        .as("p99 of /health in ms")
        .isLessThanOrEqualTo(HEALTH_MILLIS);
  }

  private long count(String ending) {
    return answers.entrySet().stream()
        .filter(each -> each.getKey().endsWith(ending))
        .mapToLong(each -> each.getValue().get())
        .sum();
  }

  private void report(List<Long> probes) throws IOException {
    System.out.printf(
        "Full store with seed %s: %,d answers in %s s, %,d of them 200; largest %,d bytes;"
            + " /health in ms p50/p99/max %s/%s/%s of %s; resident %s MB%n",
        SEED,
        count(""),
        SECONDS,
        count(" 200"),
        largest.get(),
        probes.get(probes.size() / 2),
        probes.get((probes.size() - 1) * 99 / 100),
        probes.get(probes.size() - 1),
        probes.size(),
        serve.isAlive() ? serve.residentMegabytes() : 0);
    answers.forEach(
        (what, count) ->
            System.out.printf(
                "  %s: %s, at most %s ms%n", what, count.get(), slowest.get(what).get()));
  }

  private Object client(List<String> paths, Random random, long end) throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    String cursor = "";
    while (System.nanoTime() < end && serve.isAlive()) {
      if (random.nextInt(20) == 0) {
        ask(http, "POST", "/api/v1/messages/batch", THERE_ALREADY, "token-of-all");
        continue;
      }
      String path = paths.get(random.nextInt(paths.size()));
      String token = random.nextInt(4) == 0 ? "token-of-some" : "token-of-all";
      if (path.contains("/counts/due")) { // another question each time
        path += "&from=" + Instant.now().plusSeconds(random.nextInt(86_400));
      }
      boolean pages = path.equals("/api/v1/messages?limit=1000");
      String next = ask(http, pages ? path + cursor : path, token);
      cursor = pages ? next : cursor;
    }
    return "";
  }

  /**
   * @return the cursor as a parameter, or nothing
   */
  private String ask(HttpClient http, String path, String token) throws Exception {
    return ask(http, "GET", path, "", token);
  }

  private String ask(HttpClient http, String method, String path, String body, String token)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(serve.uri(path))
            .timeout(Duration.ofMinutes(3))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    long began = System.nanoTime();
    HttpResponse<String> answer;
    try {
      answer = http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      if (serve.isAlive()) {
        throw new IOException(path, e);
      }
      return "";
    }
    String what =
        path.replaceAll("[?&](cursor|from)=[^&]*", "").replaceAll("(fat|big|mid|huge)[0-9]+", "$1")
            + " "
            + answer.statusCode();
    answers.computeIfAbsent(what, each -> new AtomicLong()).incrementAndGet();
    slowest
        .computeIfAbsent(what, each -> new AtomicLong())
        .accumulateAndGet((System.nanoTime() - began) / 1_000_000, Math::max);
    largest.accumulateAndGet(answer.body().length(), Math::max);
    Matcher next = NEXT.matcher(answer.body());
    return next.find() ? "&cursor=" + next.group(1) : "";
  }

  private static Stream<String> ids(String prefix, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(n -> prefix + n);
  }

  /** All that can be read, the pages in several ways. */
  private static List<String> paths(int schedules) {
    List<String> paths =
        new ArrayList<>(
            List.of(
                "/metrics",
                "/api/v1/status",
                "/api/v1/health",
                "/api/v1/session",
                "/api/v1/openapi.yaml",
                "/api/v1/routes",
                "/api/v1/callbacks",
                "/api/v1/loaders",
                "/api/v1/hold-queues",
                "/api/v1/series",
                "/api/v1/history?range=30d",
                "/api/v1/counts/states",
                "/api/v1/counts/due?hours=168&stepMinutes=7",
                "/api/v1/parked",
                "/api/v1/messages",
                "/api/v1/messages?limit=1000",
                "/api/v1/messages?limit=1000",
                "/api/v1/messages?limit=1000&state=PARKED",
                "/api/v1/messages?limit=1000&route=orders",
                "/api/v1/messages?limit=1000&state=SETTLED,CANCELLED",
                "/api/v1/messages?limit=1000&businessKey=fat",
                "/api/v1/messages?id=fat1",
                "/api/v1/messages/orders/nobody"));
    for (int i = 1; i <= 3; i++) {
      paths.add("/api/v1/messages/orders/fat" + i);
      paths.add("/api/v1/messages/orders/mid" + i);
      paths.add("/api/v1/messages/orders/huge" + i);
    }
    if (schedules > 0) {
      paths.addAll(
          List.of(
              "/api/v1/schedules",
              "/api/v1/schedules/big1",
              "/api/v1/schedules/big1/occurrences?past=1000&next=1000"));
    }
    return paths;
  }

  private void fill() throws Exception {
    serve.sql(
        filling().stream()
            .map(sql -> sql.replace("NOW", "(extract(epoch from now()) * 1000)::bigint"))
            .toList());
    serve.sql(List.of("VACUUM ANALYZE"));
  }

  private List<String> filling() {
    String columns =
        "INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties,"
            + " body, deliver_at, first_deliver_at, next_at, tracking, state, reason,"
            + " created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer,"
            + " begun_at, held_until) ";
    // Ordinary rows: due over a week from in four hours on, settled late by as many milliseconds.
    String ordinary =
        columns
            + """
            SELECT 'r' || n %% %1$s, 'o' || n, 'key' || n, 'amq.topic', 'r' || n %% %1$s, '\\x0000', '\\x7b7d',
              NOW + 14400000 + n * 590000 / (%2$s / 1000 + 1), NOW,
              NOW + 14400000 + n * 590000 / (%2$s / 1000 + 1), 'FULL', state,
              CASE WHEN state IN ('PARKED', 'FAILED') THEN 'reason ' || n %% 1500 || repeat(' 漢', 900) END,
              NOW - n %% 3600000, NOW,
              CASE WHEN state IN ('SETTLED', 'CANCELLED', 'FAILED', 'PARKED') THEN NOW - n %% 3600000 END,
              NULL, NULL, NULL, 'a-consumer', CASE WHEN state = 'SETTLED' THEN NOW + n * 600 END, NULL
            FROM (SELECT n, CASE WHEN n %% 100 < 60 THEN 'PENDING' WHEN n %% 100 < 97 THEN 'SETTLED'
              WHEN n %% 100 < 98 THEN 'CANCELLED' WHEN n %% 100 < 99 THEN 'PARKED' ELSE 'FAILED' END AS state
              FROM generate_series(1::bigint, %2$s) n) rows
            """
                .formatted(ROUTES, ROWS);
    // The largest rows of a page there can be, the first ones; bodies and headers as well.
    String largestRow =
        columns
            + """
            SELECT 'orders', '%1$s' || n, 'fat', repeat('漢', 255), repeat('漢', 255), '%2$s', %3$s,
              NOW + 10800000 + n, NOW, NOW + 10800000 + n, 'FULL', 'PENDING', repeat('漢', 2000), NOW, NOW, NULL,
              repeat('漢', 200), NOW,
              right(repeat(NOW || ' RESCHEDULED ' || NOW || ' ' || repeat('漢', 200) || chr(10), 22), 5000),
              NULL, NULL, NULL
            FROM generate_series(1::bigint, %4$s) n
            """;
    // One header of 118,000 bytes, as AMQP has it: class and flags, then the table.
    int value = 118_000;
    String headers =
        "\\x2000%08x0168%s%08x%s".formatted(2 + 1 + 4 + value, "53", value, "78".repeat(value));
    String plain = "\\x0000";
    String heartbeats =
        "INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)"
            + " SELECT n || repeat('漢', 190), NOW - n * 1000, NOW, n, NOW, 30000"
            + " FROM generate_series(1::bigint, 50000) n";
    return List.of(
        ordinary,
        largestRow.formatted("fat", headers, "'\\x7b7d'", FAT),
        largestRow.formatted("mid", plain, "convert_to(repeat('x', 5000000), 'UTF8')", 3),
        largestRow.formatted("huge", plain, "convert_to(repeat('x', 16777216), 'UTF8')", LARGEST),
        heartbeats);
  }

  /** As many as are taken; each as large as it may be. The first has been run many times. */
  private int fillSchedules() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    String body =
        "{\"route\":\"orders\",\"every\":\"1h\",\"body\":\"%s\"}".formatted("x".repeat(900_000));
    int taken = 0;
    while (taken < SCHEDULES
        && send(http, "PUT", "/api/v1/schedules/big" + (taken + 1), body) == 201) {
      taken++;
    }
    for (int i = 0; i < RUNS && taken > 0; i++) {
      send(http, "POST", "/api/v1/schedules/big1/run", "{}");
    }
    return taken;
  }

  private int send(HttpClient http, String method, String path, String body) throws Exception {
    int status =
        http.send(
                HttpRequest.newBuilder(serve.uri(path))
                    .header("Authorization", "Bearer token-of-all")
                    .header("Content-Type", "application/json")
                    .method(method, BodyPublishers.ofString(body))
                    .build(),
                BodyHandlers.discarding())
            .statusCode();
    assertThat(serve.isAlive()).as(path).isTrue();
    return status;
  }

  private static long seconds(long sinceNanos) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNanos);
  }
}
