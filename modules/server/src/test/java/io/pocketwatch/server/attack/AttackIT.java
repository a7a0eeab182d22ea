// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with a small heap under clients that mean harm and may write: hostile requests, slow
 * senders, and the largest bodies there may be. Somebody else's messages go on meanwhile.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("ci")
class AttackIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final long SEED = Long.getLong("pocketwatch.seed", 4_711);
  private static final Duration PATIENCE = Duration.ofSeconds(240);
  private static final int REQUESTS = 10_000;
  private static final int ATTACKERS = 8;
  private static final int SLOW_CLIENTS = 60;
  private static final int LARGE = 16_777_216;
  private static final int HEAP_MB = 256;

  /** Beside the heap: code, threads, buffers, as a server has them that nobody attacks. */
  private static final int BESIDE_HEAP_MB = 350;

  /** Lateness that means nothing on a machine that does other things too. */
  private static final long FLOOR_MILLIS = 1_000;

  @TempDir private Path folder;

  private final Map<Integer, AtomicInteger> answers = new ConcurrentSkipListMap<>();
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private ServeProcess serve;

  @BeforeEach
  void start() throws Exception {
    serve =
        ServeProcess.start(
            broker,
            new ServeProcess.Setup(
                folder,
                HEAP_MB,
                Map.of("ATTACKER", "token-of-attacker", "HEALTHY", "token-of-healthy"),
                List.of("orders", "plain", HealthyRoute.QUEUE)),
            """
            routes:
              orders: {routing-key: orders, tracking: full}
              plain: {routing-key: plain}
              healthy: {routing-key: healthy, tracking: full}
            wheel: {max-delay: 2h, resolution: 100ms, hands: [10m, 1m, 10s, 1s, 100ms]}
            loader: {every: 1h, lead: 1h, sweep: 1s}
            store: {url: 'STORE'}
            server:
              port: PORT
              limits: {requests: 1000}
              credentials:
                attacker: {role: write, token: 'env:ATTACKER'}
                healthy: {role: write, token: 'env:HEALTHY', routes: [healthy]}
            """);
  }

  @AfterEach
  void stop() throws Exception {
    clients.shutdownNow();
    serve.close();
  }

  @Test
  void bears_hostile_clients_for_a_while() throws Exception {
    attack(Duration.ofSeconds(25));
  }

  @Test
  @Tag("wide")
  void bears_ten_thousand_hostile_requests() throws Exception {
    attack(Duration.ofMinutes(8));
  }

  private void attack(Duration atMost) throws Exception {
    URI messages = serve.uri("/api/v1/messages");
    List<Long> alone;
    List<Long> attacked;
    try (HealthyRoute healthy =
            new HealthyRoute(broker.connectionFactory(), messages, "token-of-healthy");
        HealthProbe health = new HealthProbe(serve.uri("/health"))) {
      healthy.start();
      await().atMost(PATIENCE).until(() -> healthy.accepted() > 60);
      alone = healthy.takeLateness();
      int healthAlone = health.millis().size();

      List<Future<?>> slow = slowClients();
      List<Future<?>> large = largeBodies();
      int sent = hostile(atMost);
      for (Future<?> each : large) {
        each.get();
      }
      for (Future<?> each : slow) {
        each.get(); // was cut off
      }

      healthy.stop();
      await().atMost(PATIENCE).until(() -> healthy.arrived() >= healthy.accepted());
      attacked = healthy.takeLateness();
      List<Long> probes = health.millis();
      report(sent, healthy, alone, attacked, probes.subList(0, healthAlone), probes);

      assertThat(count(0)).as("hostile requests without an answer").isLessThan(sent / 2);
      assertThat(health.wrong()).as("answers of /health").isEmpty();
      assertThat(percentile(probes, 99))
          .as("p99 of /health in ms")
          .isLessThanOrEqualTo(Math.max(1_000, 2 * max(probes.subList(0, healthAlone))));
      assertThat(percentile(attacked, 99))
          .as("p99 of the lateness of others in ms")
          .isLessThanOrEqualTo(Math.max(FLOOR_MILLIS, 2 * percentile(alone, 99)));
      assertNothingGrows();
    }
  }

  private void assertNothingGrows() throws IOException {
    assertThat(serve.isAlive()).isTrue();
    String text = serve.log();
    assertThat(text).doesNotContain("OutOfMemoryError", "incident", "FORGED\n");
    assertThat(answers).doesNotContainKey(500);
    assertThat(serve.residentMegabytes()).isLessThan(HEAP_MB + BESIDE_HEAP_MB);
    long stored = serve.store().count(MessageQuery.all());
    long mayBeStored = count(201) + count(200); // batches too
    assertThat(stored).as("rows").isLessThanOrEqualTo(mayBeStored + count(0) + REQUESTS / 10);
    assertThat(text.length()).as("characters of log").isLessThan(500_000);
  }

  private int count(int status) {
    AtomicInteger count = answers.get(status);
    return count == null ? 0 : count.get();
  }

  private void report(
      int sent,
      HealthyRoute healthy,
      List<Long> alone,
      List<Long> attacked,
      List<Long> healthAlone,
      List<Long> probes)
      throws IOException {
    Map<Integer, Integer> refused = new TreeMap<>();
    healthy.refused().forEach(each -> refused.merge(each, 1, Integer::sum));
    System.out.printf(
        "Attack with seed %s: %s hostile requests, answers by status (0: none) %s%n"
            + "  others: %s scheduled, refused %s; lateness in ms p50/p99/max alone %s/%s/%s,"
            + " attacked %s/%s/%s%n"
            + "  /health in ms p50/p99/max alone %s/%s/%s, in all %s/%s/%s of %s;"
            + " resident %s MB, log %s characters%n",
        SEED,
        sent,
        answers,
        healthy.accepted(),
        refused,
        percentile(alone, 50),
        percentile(alone, 99),
        max(alone),
        percentile(attacked, 50),
        percentile(attacked, 99),
        max(attacked),
        percentile(healthAlone, 50),
        percentile(healthAlone, 99),
        max(healthAlone),
        percentile(probes, 50),
        percentile(probes, 99),
        max(probes),
        probes.size(),
        serve.residentMegabytes(),
        serve.log().length());
  }

  /** As many as there is time for. */
  private int hostile(Duration atMost) throws Exception {
    HostileRequests requests = new HostileRequests(SEED, "token-of-attacker");
    AtomicInteger sent = new AtomicInteger();
    long end = System.nanoTime() + atMost.toNanos();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < ATTACKERS; i++) {
      all.add(
          clients.submit(
              () -> {
                while (System.nanoTime() < end) {
                  byte[] request;
                  synchronized (requests) {
                    if (sent.get() == REQUESTS) {
                      return null;
                    }
                    sent.incrementAndGet();
                    request = requests.next();
                  }
                  send(request);
                }
                return null;
              }));
    }
    for (Future<?> each : all) {
      each.get();
    }
    return sent.get();
  }

  /** Half of them send a head, half a body: a byte a second, until they are cut off. */
  private List<Future<?>> slowClients() {
    String head = "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\n";
    String rest =
        "Authorization: Bearer token-of-attacker\r\nContent-Type: application/json\r\n"
            + "Content-Length: 100000\r\n\r\n{";
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < SLOW_CLIENTS; i++) {
      String begin = i % 2 == 0 ? head + "X-Slow: " : head + rest;
      all.add(
          clients.submit(
              () -> {
                long begun = System.nanoTime();
                try (Socket socket = connected()) {
                  OutputStream out = socket.getOutputStream();
                  out.write(begin.getBytes(StandardCharsets.US_ASCII));
                  while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(60)) {
                    out.write('x');
                    out.flush();
                    Thread.sleep(1_000); // as slow as this
                  }
                } catch (IOException e) {
                  return null; // cut off
                }
                throw new AssertionError("a slow client was never cut off");
              }));
    }
    return all;
  }

  /** Six of each kind, all at once. */
  private List<Future<?>> largeBodies() {
    int items = (LARGE - 100) / 3;
    String many = "{\"messages\":[" + HostileRequests.many("{}", items) + "]}";
    String stored =
        "{\"route\":\"orders\",\"deliverAt\":\"2100-01-01T00:00:00Z\",\"id\":\"large\","
            + "\"body\":["
            + HostileRequests.many("{}", LARGE / 4)
            + "]}";
    List<Future<?>> all = new ArrayList<>();
    for (String body : List.of(many, stored)) {
      for (int i = 0; i < 6; i++) {
        all.add(
            clients.submit(
                () -> large("POST", "/api/v1/messages" + (body == many ? "/batch" : ""), body)));
        all.add(clients.submit(() -> large("GET", "/api/v1/messages/orders/large", "")));
      }
    }
    return all;
  }

  private Object large(String method, String path, String body) throws IOException {
    String head =
        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer token-of-attacker\r\n"
            + "Content-Type: application/json\r\nContent-Length: %s\r\n\r\n";
    send((head.formatted(method, path, body.length()) + body).getBytes(StandardCharsets.US_ASCII));
    return "";
  }

  private Socket connected() throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(60_000);
    socket.bind(new InetSocketAddress("127.0.0.66", 0)); // not the address of the others
    socket.connect(new InetSocketAddress("127.0.0.1", serve.port()), 60_000);
    return socket;
  }

  private void send(byte[] request) {
    int status = 0;
    try (Socket socket = connected()) {
      socket.getOutputStream().write(request);
      socket.getOutputStream().flush();
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      String line = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
      if (line.startsWith("HTTP/1.1 ") && line.length() == 12) {
        status = Integer.parseInt(line.substring(9));
      }
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException | NumberFormatException e) {
      // no answer, or not all of one
    }
    answers.computeIfAbsent(status, each -> new AtomicInteger()).incrementAndGet();
  }

  private static long percentile(List<Long> values, int percent) {
    List<Long> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get((sorted.size() - 1) * percent / 100);
  }

  private static long max(List<Long> values) {
    return percentile(values, 100);
  }
}
