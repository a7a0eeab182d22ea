// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Reading, and who may, with credentials. */
class RestReadIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final Map<String, String> SECRETS =
      Map.of("OPS", "token-of-operations", "DESK", "password-of-desk");
  private static TestDatabase database;
  private static RunningServer server;
  private static JsonNode firstSeries;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.h2();
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, Map.of());
    }
    server =
        RunningServer.start(
            folder,
            """
            routes: {orders: {routing-key: orders, tracking: full}}
            wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
            server:
              credentials:
                ops: {role: write, token: 'env:OPS'}
                desk: {role: read, password: 'env:DESK'}
            """,
            database.url(),
            broker.amqpUri(),
            SECRETS);
    firstSeries = RunningServer.json(get("/api/v1/series"), 200);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @Test
  void the_document_needs_no_credentials_and_describes_the_paths() throws Exception {
    HttpResponse<String> answer = server.get("/api/v1/openapi.yaml");

    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode document = new YAMLMapper().readTree(answer.body());
    assertThat(document.at("/openapi").textValue()).startsWith("3.1");
    assertThat(document.at("/paths").properties()).hasSizeGreaterThan(15);
  }

  @Test
  void who_is_asking() throws Exception {
    HttpResponse<String> nobody = server.get("/api/v1/session");
    assertThat(RunningServer.json(nobody, 401).at("/type").textValue())
        .isEqualTo(ProblemType.UNAUTHENTICATED.uri());
    assertThat(nobody.headers().firstValue("WWW-Authenticate"))
        .hasValueSatisfying(challenge -> assertThat(challenge).startsWith("Basic "));
    assertThat(nobody.headers().firstValue("Content-Type")).hasValue("application/problem+json");

    assertThat(session("Bearer token-of-operations").at("/role").textValue()).isEqualTo("write");
    JsonNode desk = session(basic("desk", "password-of-desk"));
    assertThat(desk.at("/place/broker").textValue()).contains(":").doesNotContain("@");
    assertThat(desk.at("/place").has("vhost")).isTrue();
    assertThat(((ObjectNode) desk).without("place").toString())
        .isEqualTo(
            "{\"name\":\"desk\",\"role\":\"read\",\"authentication\":\"basic\",\"routes\":null,"
                + "\"store\":true}");
    for (String wrong :
        new String[] {
          "Bearer password-of-desk", "Bearer", "Basic x", basic("ops", "token-of-operations"), ""
        }) {
      assertThat(get("/api/v1/session", wrong).statusCode()).as(wrong).isEqualTo(401);
    }
  }

  @Test
  void a_reader_changes_nothing() throws Exception {
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/v1/messages/orders/1/cancel")
                .header("Authorization", basic("desk", "password-of-desk"))
                .POST(BodyPublishers.noBody()));
    assertThat(RunningServer.json(answer, 403).at("/type").textValue()).endsWith("#forbidden");
  }

  @Test
  void routes_and_health() throws Exception {
    JsonNode route = RunningServer.json(get("/api/v1/routes"), 200).at("/routes/0");
    assertThat(route.at("/name").textValue()).isEqualTo("orders");
    assertThat(route.at("/delays").isEmpty()).isTrue();
    assertThat(route.at("/tracking").textValue()).isEqualTo("full");
    assertThat(RunningServer.json(get("/api/v1/health"), 200).has("problems")).isTrue();
    assertThat(server.get("/health").statusCode()).isEqualTo(200);
  }

  @Tag("ci")
  @Test
  void an_hour_that_is_still_being_read_is_not_called_empty() {
    assertThat(firstSeries.at("/complete")).isEqualTo(BooleanNode.FALSE);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> RunningServer.json(get("/api/v1/series"), 200).at("/complete").booleanValue());
  }

  @Test
  void a_history_has_all_its_steps() throws Exception {
    JsonNode day = RunningServer.json(get("/api/v1/history"), 200);
    assertThat(day.at("/range").textValue()).isEqualTo("24h");
    assertThat(day.at("/points")).hasSize(96);
    assertThat(day.at("/total/settled").longValue()).isZero();
    assertThat(day.at("/total/latenessP99").isNull()).isTrue();
    JsonNode month = RunningServer.json(get("/api/v1/history?range=30d&route=orders"), 200);
    assertThat(month.at("/stepSeconds").longValue()).isEqualTo(28_800);
    assertThat(month.at("/points")).hasSize(90);
    assertThat(RunningServer.json(get("/api/v1/history?range=90d"), 400).at("/detail").textValue())
        .contains("24h, 7d, 30d");
  }

  /** The names under which the page and others know them. */
  @Test
  void a_step_of_the_series_is_as_described() throws Exception {
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> RunningServer.json(get("/api/v1/series"), 200).at("/points").size() > 0);
    JsonNode step = RunningServer.json(get("/api/v1/series"), 200).at("/points/0");
    JsonNode described =
        new YAMLMapper()
            .readTree(server.get("/api/v1/openapi.yaml").body())
            .at("/components/schemas/Point/properties");
    assertThat(step.properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrderElementsOf(
            described.properties().stream().map(Map.Entry::getKey).toList());
  }

  @Test
  void what_is_not_there() throws Exception {
    JsonNode message = RunningServer.json(get("/api/v1/messages/orders/a%2Fb%25"), 404);
    assertThat(message.at("/type").textValue()).endsWith("#unknown-message");
    assertThat(message.at("/detail").textValue()).contains("orders/a/b%");
    assertThat(RunningServer.json(get("/api/v1/nothing"), 404).at("/type").textValue())
        .endsWith("#not-found");
  }

  private static JsonNode session(String authorization) throws Exception {
    return RunningServer.json(get("/api/v1/session", authorization), 200);
  }

  private static HttpResponse<String> get(String path) {
    return get(path, "Bearer token-of-operations");
  }

  private static HttpResponse<String> get(String path, String authorization) {
    return server.send(server.request(path).header("Authorization", authorization).GET());
  }

  private static String basic(String user, String password) {
    return "Basic "
        + Base64.getEncoder()
            .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
  }
}
