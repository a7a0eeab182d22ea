// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The daemon in a process of its own, with a real broker and PostgreSQL. */
@Tag("wide")
class ServeIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofMinutes(30);
  private static final int MESSAGES = 200;

  @TempDir private Path folder;

  private final HttpClient http = HttpClient.newHttpClient();
  private TestDatabase database;
  private OpenStore open;
  private Path config;
  private Path log;
  private int port;
  private Process process;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabases.postgresql();
    open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
    port = freePort();
    config = folder.resolve("pocketwatch.yml");
    log = folder.resolve("serve.log");
    configure("orders: {routing-key: orders, tracking: handoff}");
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, Map.of());
      channel.queueDeclare("mail", true, false, false, Map.of());
    }
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                "io.pocketwatch.server.Main",
                "serve",
                "--config=" + config,
                "--broker=" + deadNode() + "," + broker.amqpUri())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    await().atMost(PATIENCE).until(() -> log().contains("Serving: http://127.0.0.1:" + port));
  }

  @AfterEach
  void stop() throws Exception {
    process.destroyForcibly().waitFor();
    open.close();
    database.close();
  }

  @Test
  void tells_its_health_and_metrics_and_follows_the_file() throws Exception {
    await().atMost(PATIENCE).until(() -> health().at("/loaders/alive").intValue() == 1);
    assertThat(log()).contains("No answer"); // the first of two addresses
    HttpResponse<String> up = get("/health");
    assertThat(up.statusCode()).isEqualTo(200);
    JsonNode health = health();
    assertThat(health.get("status").textValue()).isEqualTo("UP");
    assertThat(health.at("/broker/connected").booleanValue()).isTrue();
    assertThat(health.at("/store/what").textValue()).startsWith("PostgreSQL").contains("jdbc:");
    assertThat(Instant.parse(health.at("/loader/nextRun").textValue())).isAfter(Instant.now());
    assertThat(get("/").statusCode()).isEqualTo(200);
    assertThat(get("/nothing").statusCode()).isEqualTo(404);

    schedule(3);
    await().atMost(PATIENCE).until(() -> metric("pocketwatch_loaded_total{route=\"orders\"}") == 3);
    assertThat(get("/metrics").body())
        .contains("pocketwatch_load_batch_seconds_count{route=\"orders\"}")
        .contains("pocketwatch_pending{route=\"orders\"}", "pocketwatch_loader_heartbeat_age");

    configure("orders: {routing-key: orders, tracking: some}");
    await().atMost(PATIENCE).until(() -> !health().get("warnings").isEmpty());
    assertThat(health().at("/warnings/0/text").textValue())
        .contains("routes.orders.tracking", "'some'");
    assertThat(get("/health").statusCode()).isEqualTo(200);

    configure(
        "orders: {routing-key: orders, tracking: handoff}\n    mail: {routing-key: mail, tracking:"
            + " full}");
    await().atMost(PATIENCE).until(() -> log().contains("mail (full)"));
    await().atMost(PATIENCE).until(() -> health().get("warnings").isEmpty());
    assertThat(get("/metrics").body()).contains("pocketwatch_pending{route=\"mail\"}");
    assertThat(log().lines().filter(line -> line.contains("'some'"))).hasSize(1);
    schedule(2);
    await().atMost(PATIENCE).until(() -> metric("pocketwatch_loaded_total{route=\"orders\"}") == 5);
  }

  @Test
  void another_one_on_the_same_port_leaves_no_trace() throws Exception {
    Path second =
        Files.writeString(
            folder.resolve("second.yml"),
            Files.readString(config).replace("wheel:", "name-prefix: second\n  wheel:"));
    CommandRun run = CommandRun.of("serve", "--config=" + second, "--broker=" + broker.amqpUri());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).singleElement().asString().contains("cannot listen on 127.0.0.1:" + port);
    try (Connection connection = broker.connectionFactory().newConnection()) {
      Channel channel = connection.createChannel();
      assertThatThrownBy(() -> channel.queueDeclarePassive("second.unroutable"))
          .hasStackTraceContaining("no queue 'second.unroutable'");
    }
  }

  @Test
  void a_route_becomes_usable() throws Exception {
    configure("orders: {exchange: late, routing-key: orders, tracking: none}");
    await().atMost(PATIENCE).until(() -> log().contains("Not usable yet: route orders"));
    await() // until then the old route takes what is sent
        .atMost(PATIENCE)
        .until(() -> log().lines().anyMatch(line -> line.endsWith("Routes (1): orders")));
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("late", "fanout");
      channel.queueBind("orders", "late", "");
    }
    http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/messages"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"route\": \"orders\", \"delay\": \"1s\", \"body\": 1}"))
            .build(),
        BodyHandlers.ofString());
    await().atMost(PATIENCE).until(() -> log().contains("Route orders is usable now"));
  }

  @Test
  void gives_back_what_it_claimed_when_it_is_stopped() throws Exception {
    configure("orders: {routing-key: orders, tracking: handoff}", "rate: 5");
    await().atMost(PATIENCE).until(() -> log().contains("The configuration has changed"));
    schedule(MESSAGES);
    MessageQuery pending = MessageQuery.all().states(MessageState.PENDING);
    await().atMost(PATIENCE).until(() -> open.store().count(pending) < MESSAGES);

    process.destroy();

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(log()).contains("given back", "Stopped; whatever is not on the broker waits");
    long left = open.store().count(pending);
    assertThat(left).isPositive();
    ClaimRequest all =
        new ClaimRequest(
            "orders",
            Instant.now().plusSeconds(86_400),
            10_000,
            Long.MAX_VALUE,
            new Lease("another", LEASE));
    assertThat(open.store().claim(all)).hasSize((int) left);
  }

  /** As somebody else's publisher would: rows without a lease, due soon. */
  private void schedule(int count) throws Exception {
    DelayRoutes routes = DelayRoutes.load(config);
    try (TrackedPublisher publisher =
        DelayedPublisher.builder(broker.connectionFactory())
            .routes(routes)
            .build(TrackedPublisher.with(open.store()))) {
      List<io.pocketwatch.store.ScheduledMessage> rows = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        DelayedMessage message =
            DelayedMessage.toQueue("orders").body("x").delay(Duration.ofMinutes(10));
        rows.add(publisher.unwrap(HandOff.class).prepare(message).row());
      }
      open.store().insert(rows, null);
    }
  }

  /** Another node of the same broker, as far as its address says. */
  private static String deadNode() {
    URI living = broker.amqpUri();
    String path = living.getRawPath() == null ? "" : living.getRawPath();
    return "%s://%s@127.0.0.1:24499%s".formatted(living.getScheme(), living.getRawUserInfo(), path);
  }

  private void configure(String routes) throws IOException {
    configure(routes, "rate: 1000");
  }

  private void configure(String routes, String loader) throws IOException {
    Path fresh =
        Files.writeString(
            folder.resolve("fresh.yml"),
            """
            pocketwatch:
              routes:
                %s
              wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
              loader: {every: 1h, lead: 1h, sweep: 200ms, lease: 30m, %s}
              store: {url: '%s'}
              server: {port: %s}
            """
                .formatted(routes, loader, database.url(), port));
    Files.move(fresh, config, StandardCopyOption.REPLACE_EXISTING);
  }

  private double metric(String name) throws Exception {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElse(Double.NaN);
  }

  private JsonNode health() throws Exception {
    return new ObjectMapper().readTree(get("/health").body());
  }

  private HttpResponse<String> get(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    return answer.get(20, TimeUnit.SECONDS);
  }

  private String log() throws IOException {
    return Files.exists(log) ? Files.readString(log) : "";
  }

  /** One of the range this module's tests keep to. */
  private static int freePort() throws IOException {
    for (int candidate = 24_500; candidate < 25_000; candidate++) {
      try (ServerSocket socket = new ServerSocket(candidate)) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // taken
      }
    }
    throw new IOException("no free port from 24500 to 24999");
  }
}
