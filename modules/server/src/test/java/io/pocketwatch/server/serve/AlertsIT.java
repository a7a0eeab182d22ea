// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.sun.net.httpserver.HttpServer;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each alert fires when what it speaks of is so, and none while all is well: evaluated by
 * Prometheus' own tool over what a real server and a real broker export.
 */
@Tag("ci")
class AlertsIT {
  private static final int PROMETHEUS = freePort();

  @RegisterExtension
  static final BrokerExtension broker =
      BrokerExtension.version("4.3")
          .with(
              options ->
                  options
                      .withPlugins(List.of("rabbitmq_prometheus"))
                      .withConfigLines(
                          List.of(
                              "prometheus.tcp.ip = 127.0.0.1",
                              "prometheus.tcp.port = " + PROMETHEUS)))
          .dedicated();

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String OF_SERVER = "instance=\"server\",job=\"pocketwatch\"";
  private static final String OF_BROKER = "instance=\"broker\",job=\"rabbitmq\"";
  private static final String OF_QUEUES = "instance=\"broker\",job=\"rabbitmq-queues\"";
  private static final Names NAMES = new Names("pocketwatch");

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private Promtool promtool;
  private HttpServer refusing;
  private TestDatabase database;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    promtool = new Promtool(folder);
    refusing = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    refusing.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(503, -1);
          exchange.close();
        });
    refusing.start();
    database = TestDatabases.postgresql();
    server =
        RunningServer.start(
            folder,
            """
            routes:
              orders: {routing-key: alerts-orders, tracking: full}
              gone: {exchange: alerts.gone, routing-key: x, tracking: full}
              nobody: {exchange: amq.direct, routing-key: alerts-nobody}
              hook: {routing-key: alerts-hook, tracking: full, retries: [200ms]}
              bare-hook: {routing-key: alerts-bare, retries: [200ms]}
              shared: {exchange: amq.direct, routing-key: alerts-shared, tracking: full}
              one: {routing-key: alerts-one, tracking: full}
              other: {routing-key: alerts-other, tracking: full}
            wheel: {max-delay: 1h, resolution: 100ms, hands: [10m, 1m, 10s, 1s, 100ms]}
            loader: {every: 1h, lead: 1h, sweep: 1s}
            server:
              callbacks:
                hook: {url: 'http://127.0.0.1:%1$s/'}
                bare-hook: {url: 'http://127.0.0.1:%1$s/'}
                one: {url: 'http://127.0.0.1:%1$s/'}
                other: {url: 'http://127.0.0.1:%1$s/'}
            """
                .formatted(refusing.getAddress().getPort()),
            database.url(),
            broker.amqpUri(),
            Map.of());
    put(
        "/api/v1/schedules/report",
        "{\"route\": \"orders\", \"every\": \"1h\", \"bodyText\": \"x\"}");
  }

  @AfterEach
  void stop() throws Exception {
    if (server == null) {
      return; // not tested here
    }
    server.close();
    refusing.stop(0);
    database.close();
  }

  @Test
  void every_alert_fires_when_it_should_and_not_before() throws Exception {
    Map<String, String> calm =
        await()
            .atMost(PATIENCE)
            .until(
                this::scrapeAll,
                scrape ->
                    scrape.keySet().stream().anyMatch(each -> each.contains("schedule_late"))
                        && scrape.keySet().stream()
                            .anyMatch(each -> each.contains(NAMES.unroutable())));
    assertThat(promtool.firing(calm, calm)).as("while all is well").isEmpty();

    Set<String> fired = new TreeSet<>();
    Map<String, String> trouble = provoke();
    assertThat(server.get("/health").body())
        .contains("\"callbacks-stopped\"", "'alerts-one'", "'alerts-other'", "shared/");
    assertThat(missing(trouble, calm)).as("asked for, and exported by nobody").isEmpty();
    Set<String> provoked = promtool.firing(calm, trouble);
    assertThat(provoked)
        .contains(
            "PocketwatchOverdue",
            "PocketwatchNotConfirmed",
            "PocketwatchFailing",
            "PocketwatchOtherConsumer",
            "PocketwatchParked",
            "PocketwatchCallbacksParked",
            "PocketwatchUnroutable",
            "PocketwatchWarnings");
    fired.addAll(provoked);
    // Each of the two, the server's and the broker's own, is enough.
    for (String queue : List.of(NAMES.parked("alerts-bare"), NAMES.unroutable())) {
      String alert =
          queue.equals(NAMES.unroutable()) ? "PocketwatchUnroutable" : "PocketwatchCallbacksParked";
      for (String job : List.of("job=\"pocketwatch\"", "job=\"rabbitmq-queues\"")) {
        Map<String, String> one = new TreeMap<>(calm);
        trouble.forEach(
            (series, value) -> {
              if (series.contains("queue=\"" + queue + "\"") && series.contains(job)) {
                one.put(series, value);
              }
            });
        assertThat(promtool.firing(calm, one)).as("%s of %s", queue, job).containsExactly(alert);
      }
    }

    // What takes long to provoke has the value it would have.
    fired.addAll(only("PocketwatchHoldQueuesBroken", calm, "pocketwatch_hold_queues_broken", "1"));
    fired.addAll(
        only("PocketwatchBrokerClock", calm, "pocketwatch_broker_clock_offset_seconds", "-3"));
    fired.addAll(only("PocketwatchScheduleLate", calm, "pocketwatch_schedule_late", "1"));
    fired.addAll(only("PocketwatchScheduleMissed", calm, "pocketwatch_schedule_missed_total", "1"));
    fired.addAll(
        only("PocketwatchOldTransaction", calm, "pocketwatch_oldest_snapshot_age_seconds", "1801"));
    fired.addAll(only("PocketwatchAbandoned", calm, "pocketwatch_abandoned_total", "1"));
    fired.addAll(
        only("PocketwatchNobodyLoads", calm, "pocketwatch_loader_heartbeat_age_seconds", "121"));
    fired.addAll(
        only("PocketwatchNobodyLoads", calm, "pocketwatch_loader_heartbeat_age_seconds", "NaN"));
    Map<String, String> two = new TreeMap<>(calm);
    two.put("up{instance=\"one\",job=\"rabbitmq\"}", "1");
    two.put("up{instance=\"two\",job=\"rabbitmq\"}", "1");
    fired.addAll(only("RabbitmqNodeGone", two, "up", "0", "up{instance=\"two\",job=\"rabbitmq\"}"));

    broker.node().ctl("set_vm_memory_high_watermark", "0.0001");
    await()
        .atMost(PATIENCE)
        .until(() -> promtool.firing(calm, scrapeAll()).contains("RabbitmqAlarm"));
    fired.add("RabbitmqAlarm");

    broker.node().stop();
    await()
        .atMost(PATIENCE)
        .until(() -> promtool.firing(calm, scrapeServer()).contains("PocketwatchDown"));
    fired.add("PocketwatchDown");
    assertThat(fired).isEqualTo(Promtool.alerts());
    broker.node().start();
  }

  private Set<String> only(String alert, Map<String, String> calm, String metric, String value)
      throws Exception {
    Map<String, String> then = Promtool.with(calm, metric, value);
    assertThat(promtool.firing(calm, then)).as("%s %s", metric, value).containsExactly(alert);
    return Set.of(alert);
  }

  private Set<String> only(
      String alert, Map<String, String> calm, String metric, String value, String series)
      throws Exception {
    Map<String, String> then = new TreeMap<>(calm);
    assertThat(then.put(series, value)).as(metric).isNotNull();
    assertThat(promtool.firing(calm, then)).containsExactly(alert);
    return Set.of(alert);
  }

  /** Parked with and without a row, without a target, overdue, failing, for two consumers. */
  private Map<String, String> provoke() throws Exception {
    post("{\"route\": \"hook\", \"body\": 1}");
    post("{\"route\": \"bare-hook\", \"body\": 1}");
    post("{\"route\": \"nobody\", \"body\": 1}");
    post(
        "{\"route\": \"gone\", \"body\": 1, \"deliverAt\": \"%s\"}"
            .formatted(Instant.now().minus(Duration.ofMinutes(5))));
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String queue : List.of("alerts-one", "alerts-other")) {
        channel.queueBind(queue, "amq.direct", "alerts-shared");
      }
      channel.confirmSelect();
      channel.basicPublish("", NAMES.unroutable(), null, new byte[1]);
      channel.waitForConfirmsOrDie(10_000);
    }
    post("{\"route\": \"shared\", \"body\": 1}");
    List<String> seen =
        List.of(
            "pocketwatch_parked_now\\{.*hook.*",
            "pocketwatch_callbacks_parked_now\\{.*",
            "pocketwatch_unroutable_now\\{.*",
            "pocketwatch_other_consumer_total\\{.*shared.*",
            "pocketwatch_overdue_oldest_seconds\\{.*phase=\"due\".*",
            "rabbitmq_detailed_queue_messages\\{.*unroutable.*",
            "rabbitmq_detailed_queue_messages\\{.*parked.*");
    return await()
        .atMost(PATIENCE)
        .until(
            this::scrapeAll,
            scrape ->
                seen.stream()
                    .allMatch(
                        each ->
                            scrape.entrySet().stream()
                                .anyMatch(
                                    sample ->
                                        sample.getKey().matches(each)
                                            && Double.parseDouble(sample.getValue()) > 0)));
  }

  private static Set<String> missing(Map<String, String> trouble, Map<String, String> calm)
      throws IOException {
    Set<String> missing = Promtool.metrics();
    missing.removeIf(
        metric ->
            trouble.keySet().stream().anyMatch(each -> each.startsWith(metric + "{"))
                || calm.keySet().stream().anyMatch(each -> each.startsWith(metric + "{")));
    return missing;
  }

  private Map<String, String> scrapeServer() throws Exception {
    return Promtool.samples(server.get("/metrics").body(), OF_SERVER);
  }

  private Map<String, String> scrapeAll() throws Exception {
    Map<String, String> all = scrapeServer();
    all.putAll(Promtool.samples(ofBroker("/metrics"), OF_BROKER));
    all.putAll(
        Promtool.samples(ofBroker("/metrics/detailed?family=queue_coarse_metrics"), OF_QUEUES));
    all.put("up{" + OF_BROKER + "}", "1");
    return all;
  }

  private String ofBroker(String path) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + PROMETHEUS + path);
    HttpResponse<String> answer =
        http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  private JsonNode post(String message) throws Exception {
    return RunningServer.JSON.readTree(server.post("/api/v1/messages", message).body());
  }

  private void put(String path, String json) throws IOException {
    RunningServer.json(
        server.send(
            server
                .request(path)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(json))),
        201);
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
