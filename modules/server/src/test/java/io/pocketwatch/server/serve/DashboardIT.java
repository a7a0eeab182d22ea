// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.sun.net.httpserver.HttpServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** The dashboard's queries, asked of a Prometheus that scrapes a server and its broker. */
@Tag("wide")
class DashboardIT {
  private static final int OF_BROKER = freePort();

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
                              "prometheus.tcp.port = " + OF_BROKER)))
          .dedicated();

  private static final Path DASHBOARD = Path.of("../../docker/grafana/dashboards/pocketwatch.json");
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** What nothing of this test makes happen, or only an application exports. */
  private static final String SELDOM =
      "pocketwatch_(sent|deferred|held_again|skipped|unknown|store_unreachable|overtaken|returned"
          + "|abandoned|consumer_stopped|other_consumer|http_logins_failed|schedule_missed|schedule_late"
          + "|delivery_time|callbacks_parked|parked_total|published_total.*outcome!=).*";

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final int port = freePort();

  @Test
  void every_query_is_understood_and_nearly_all_have_an_answer() throws Exception {
    if (Stream.of(System.getenv("PATH").split(":"))
        .noneMatch(each -> Files.isExecutable(Path.of(each, "prometheus")))) {
      String loud =
          "NOT TESTED: the dashboard needs prometheus on the PATH"
              + " (apt-get install --no-install-recommends prometheus)";
      System.err.println(loud);
      throw new TestAbortedException(loud);
    }
    HttpServer called =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    called.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(
              exchange.getRequestURI().getPath().equals("/ok") ? 200 : 503, -1);
          exchange.close();
        });
    called.start();
    try (TestDatabase database = TestDatabases.postgresql();
        RunningServer server = start(called, database)) {
      Process prometheus = prometheus(server);
      try {
        JsonNode panels = RunningServer.JSON.readTree(DASHBOARD.toFile()).get("panels");
        List<String> queries = panels.findValuesAsText("expr");
        assertThat(queries).hasSizeGreaterThan(50);
        await().atMost(PATIENCE).until(() -> data("sum(up)").at("/0/value/1").asInt() == 3);
        work(server);
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(silent(queries)).isEmpty());
        System.out.printf("%d of %d queries have data%n", answered(queries), queries.size());
      } finally {
        prometheus.destroy();
        assertThat(prometheus.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      called.stop(0);
    }
  }

  private RunningServer start(HttpServer called, TestDatabase database) throws Exception {
    return RunningServer.start(
        folder,
        """
        routes:
          fine: {routing-key: dashboard-fine, tracking: full}
          bad: {routing-key: dashboard-bad, tracking: full, retries: [200ms]}
          gone: {exchange: dashboard.gone, routing-key: x, tracking: full}
          slow: {routing-key: dashboard-slow, delays: [5s]}
        wheel: {max-delay: 90s, resolution: 1s, hands: [10s, 1s]}
        loader: {sweep: 500ms}
        server:
          callbacks:
            fine: {url: 'http://127.0.0.1:%1$s/ok'}
            bad: {url: 'http://127.0.0.1:%1$s/bad'}
        """
            .formatted(called.getAddress().getPort()),
        database.url(),
        broker.amqpUri(),
        Map.of());
  }

  /** Again and again: a rate is between two. */
  private static void work(RunningServer server) throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("dashboard-slow", true, false, false, Map.of("x-queue-type", "quorum"));
    }
    server.send(
        server
            .request("/api/v1/schedules/often")
            .header("Content-Type", "application/json")
            .PUT(
                HttpRequest.BodyPublishers.ofString(
                    "{\"route\": \"fine\", \"every\": \"1s\", \"bodyText\": \"x\"}")));
    for (int i = 0; i < 20; i++) {
      for (String route : List.of("fine", "bad", "gone", "slow")) {
        String message = "{\"route\": \"%s\", \"delay\": \"%ds\", \"body\": 1}";
        server.post("/api/v1/messages", message.formatted(route, i));
      }
    }
  }

  private Process prometheus(RunningServer server) throws IOException {
    URI page = URI.create(server.url());
    String config =
        """
        global: {scrape_interval: 1s, evaluation_interval: 1s}
        rule_files: ['%s']
        scrape_configs:
          - job_name: pocketwatch
            static_configs: [{targets: ['%s']}]
          - job_name: rabbitmq
            static_configs: [{targets: ['127.0.0.1:%s']}]
          - job_name: rabbitmq-queues
            metrics_path: /metrics/detailed
            params: {family: [queue_coarse_metrics]}
            static_configs: [{targets: ['127.0.0.1:%s']}]
        """
            .formatted(Promtool.ALERTS, page.getAuthority(), OF_BROKER, OF_BROKER);
    Path file = Files.writeString(folder.resolve("prometheus.yml"), config);
    return new ProcessBuilder(
            "prometheus",
            "--config.file=" + file,
            "--storage.tsdb.path=" + folder.resolve("data"),
            "--web.listen-address=127.0.0.1:" + port)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("prometheus.log").toFile())
        .start();
  }

  /** Those without an answer that should have one; fails for one that is not understood. */
  private List<String> silent(List<String> queries) throws Exception {
    TreeSet<String> silent = new TreeSet<>();
    for (String query : queries) {
      if (data(query).isEmpty() && !query.matches("(?s).*\\b" + SELDOM)) {
        silent.add(query);
      }
    }
    return List.copyOf(silent);
  }

  private long answered(List<String> queries) throws Exception {
    long answered = 0;
    for (String query : queries) {
      boolean some = !data(query).isEmpty();
      answered += some ? 1 : 0;
      System.out.println((some ? "data    " : "nothing ") + query);
    }
    return answered;
  }

  private JsonNode data(String query) throws Exception {
    String filled =
        query.replaceAll("\\$(job|instance|route)\\b", ".*").replace("$__rate_interval", "10s");
    URI address =
        URI.create(
            "http://127.0.0.1:%d/api/v1/query?query=%s"
                .formatted(port, URLEncoder.encode(filled, StandardCharsets.UTF_8)));
    String body =
        http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    JsonNode answer = RunningServer.JSON.readTree(body);
    if (!answer.at("/status").asText().equals("success")) {
      throw new AssertionError(filled + ": " + body);
    }
    return answer.at("/data/result");
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
