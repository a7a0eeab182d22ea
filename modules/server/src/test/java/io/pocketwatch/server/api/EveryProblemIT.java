// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.localbroker.NetworkProxy.Direction.TO_CLIENT;
import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every problem that the OpenAPI document names is provoked, from outside, on a real server whose
 * ways to its broker and database can be cut. A problem that nothing here provokes does not
 * compile.
 */
class EveryProblemIT {
  @RegisterExtension
  static final BrokerExtension broker = BrokerExtension.anyVersion().allowingOpenConnections();

  @TempDir static Path folder;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String MESSAGES = "/api/v1/messages";
  private static final String SCHEDULES = "/api/v1/schedules";
  private static final String LIMITS =
      """
      schedules: {of-yaml: {route: orders, cron: "0 9 1 1 *"}}
      publisher: {confirm-timeout: 3s}
      server:
        limits: {requests: 1000, request-size: 4096, schedules: 20, body-memory: 65536}
      """;
  private static final OpenApiDocument DOCUMENT = OpenApiDocument.read();

  private static TestDatabase database;
  private static NetworkProxy toBroker;
  private static NetworkProxy toDatabase;
  private static RunningServer server;
  private static RunningServer guarded;

  @BeforeAll
  static void start() throws Exception {
    RestServer.declareQueues(broker);
    database = TestDatabases.postgresql();
    URI direct = URI.create(database.url().substring("jdbc:".length()));
    toDatabase = NetworkProxy.to(direct.getHost(), direct.getPort());
    toBroker = NetworkProxy.to(broker.amqpUri());
    server =
        start(
            "open",
            LIMITS,
            database.url().replace(direct.getAuthority(), behind(toDatabase)),
            throughProxy(broker.amqpUri()));
    guarded =
        start(
            "guarded",
            "server: {credentials: {desk: {role: read, token: 'env:DESK'}}}\n",
            database.url(),
            broker.amqpUri());
  }

  private static String behind(NetworkProxy proxy) {
    return proxy.host() + ":" + proxy.port();
  }

  private static URI throughProxy(URI uri) {
    return URI.create(
        uri.toString().replace(uri.getHost() + ":" + uri.getPort(), behind(toBroker)));
  }

  private static RunningServer start(String name, String sections, String jdbcUrl, URI amqp)
      throws Exception {
    return RunningServer.start(
        Files.createDirectory(folder.resolve(name)),
        RestServer.ROUTES + sections,
        jdbcUrl,
        amqp,
        Map.of("DESK", "token-of-desk"));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    guarded.close();
    toBroker.close();
    toDatabase.close();
    database.close();
  }

  static Set<String> documented() {
    return DOCUMENT.problems();
  }

  @Test
  void the_document_names_them_all() {
    assertThat(documented())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(ProblemType.values()).map(ProblemType::slug).collect(Collectors.toSet()));
  }

  @ParameterizedTest
  @MethodSource("documented")
  void is_answered(String name) throws Exception {
    ProblemType type =
        Arrays.stream(ProblemType.values())
            .filter(each -> each.slug().equals(name))
            .findAny()
            .orElseThrow();

    Answer answer = provoke(type);

    assertThat(answer.status()).as(answer.body()).isEqualTo(type.status());
    assertThat(answer.type()).isEqualTo("application/problem+json");
    JsonNode problem = RunningServer.JSON.readTree(answer.body());
    assertThat(problem.at("/type").textValue()).isEqualTo(type.uri());
    assertThat(problem.at("/title").textValue()).isEqualTo(type.title());
    assertThat(problem.at("/status").intValue()).isEqualTo(type.status());
    assertThat(problem.at("/detail").textValue()).isNotBlank();
    assertThat(answer.body()).doesNotContain("Caused by", "\\tat ");
    assertThat(DOCUMENT.foresees(answer, name)).as("%s of %s", name, answer.request()).isTrue();
  }

  private static Answer provoke(ProblemType type) throws Exception {
    return switch (type) {
      case MALFORMED -> schedule("{");
      case INVALID_FIELD -> schedule("{\"route\": \"plain\", \"when\": \"1h\"}");
      case INVALID_PARAMETER -> get(MESSAGES + "?limit=0");
      case INVALID_CURSOR -> get(MESSAGES + "?cursor=abc");
      case UNAUTHENTICATED -> Answer.of(guarded.get("/api/v1/status"));
      case FORBIDDEN -> aReaderChanges();
      case CROSS_ORIGIN -> fromAnotherSite();
      case NOT_FOUND -> get("/api/v1/nothing");
      case UNKNOWN_MESSAGE -> get(MESSAGES + "/orders/nobody");
      case UNKNOWN_SCHEDULE -> get(SCHEDULES + "/nobody");
      case SCHEDULE_OWNED_BY_YAML -> put("of-yaml", "orders", "");
      case OTHER_VERSION -> put("mine", "orders", "\"7\"");
      case IMPOSSIBLE_SCHEDULE -> put("mine", "plain", "");
      case METHOD_NOT_ALLOWED -> post("/api/v1/status", "{}");
      case ID_CONFLICT -> otherContentUnderOneKey();
      case TOO_LATE -> movedAfterItsCancel();
      case BEING_HANDLED -> cancelledWhileHandled();
      case TOO_LARGE -> schedule("{\"route\": \"plain\", \"body\": \"" + "x".repeat(5_000) + "\"}");
      case UNSUPPORTED_MEDIA_TYPE -> asText();
      case WRONG_HOST -> Answer.underName("other.example", server.url() + "/api/v1/status");
      case INVALID_MESSAGE -> schedule("{\"route\": \"plain\", \"headers\": {\"CC\": 5}}");
      case UNKNOWN_ROUTE -> schedule("{\"route\": \"nobody\"}");
      case UNKNOWN_TARGET -> schedule("{\"exchange\": \"\", \"routingKey\": \"gone\"}");
      case UNROUTABLE ->
          schedule("{\"exchange\": \"amq.topic\", \"routingKey\": \"nobody.listens\"}");
      case ID_UNAVAILABLE -> schedule("{\"route\": \"plain\", \"id\": \"a\"}");
      case RATE_LIMITED -> untilTooMany();
      case INTERNAL -> aRowThatNobodyCanRead();
      case STORE_UNAVAILABLE -> withoutDatabase(() -> get(MESSAGES));
      case BROKER_UNAVAILABLE -> withoutBroker();
      case UNCERTAIN -> withoutAnswerOfTheBroker();
      case OVERLOADED -> schedule("{\"headers\": [" + "[],".repeat(1_200) + "0]}");
    };
  }

  private static Answer aReaderChanges() {
    return Answer.of(
        guarded.send(
            guarded
                .request(MESSAGES + "/orders/nobody/cancel")
                .header("Authorization", "Bearer token-of-desk")
                .POST(BodyPublishers.noBody())));
  }

  private static Answer fromAnotherSite() {
    return Answer.of(
        server.send(
            server
                .request(MESSAGES + "/orders/nobody/cancel")
                .header("Origin", "https://other.example")
                .POST(BodyPublishers.noBody())));
  }

  private static Answer asText() {
    return Answer.of(server.send(server.request(MESSAGES).POST(BodyPublishers.ofString("{}"))));
  }

  private static Answer otherContentUnderOneKey() throws Exception {
    store("conflict", "");
    return schedule(stored("conflict", ", \"body\": \"other\""));
  }

  private static Answer movedAfterItsCancel() throws Exception {
    store("late", "");
    json(server.post(MESSAGES + "/orders/late/cancel", ""), 200);
    return post(MESSAGES + "/orders/late/reschedule", "{\"delay\": \"1h\"}");
  }

  private static Answer cancelledWhileHandled() throws Exception {
    store("handled", "");
    Handlings.of(server.store())
        .begin(new MessageKey("orders", "handled"), 1, "a-consumer", Duration.ofMinutes(5));
    return post(MESSAGES + "/orders/handled/cancel", "");
  }

  private static Answer untilTooMany() {
    return await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> schedule("{\"route\": \"mail\", \"headers\": {\"CC\": 5}}"),
            answer -> answer.status() == 429);
  }

  /** As if somebody had written into the table. */
  private static Answer aRowThatNobodyCanRead() throws Exception {
    store("damaged", "");
    try (var connection = DriverManager.getConnection(database.url());
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE pocketwatch_message SET properties = '\\xffff' WHERE id = 'damaged'");
    }
    return get(MESSAGES + "/orders/damaged");
  }

  @Test
  void what_no_database_was_there_for_is_certainly_not_stored() throws Exception {
    Answer answer = withoutDatabase(() -> schedule(stored("without", "")));

    assertThat(answer.status()).as(answer.body()).isEqualTo(503);
    assertThat(answer.body()).contains("store-unavailable", "nothing was stored");
    assertThat(DOCUMENT.foresees(answer, "store-unavailable")).isTrue();
    assertThat(get(MESSAGES + "/orders/without").status()).isEqualTo(404);
  }

  private static Answer withoutDatabase(Supplier<Answer> request) {
    toDatabase.cut();
    try {
      return request.get();
    } finally {
      toDatabase.resume();
      await().atMost(PATIENCE).until(() -> get(MESSAGES).status() == 200);
    }
  }

  private static Answer withoutBroker() throws Exception {
    toBroker.cut();
    try {
      await().atMost(PATIENCE).until(() -> !connected());
      return schedule("{\"route\": \"plain\", \"delay\": \"1h\"}");
    } finally {
      toBroker.resume();
      await().atMost(PATIENCE).until(EveryProblemIT::connected);
    }
  }

  /** It has the message, and nobody learns so. */
  private static Answer withoutAnswerOfTheBroker() throws Exception {
    String message = "{\"route\": \"plain\", \"delay\": \"1h\"}";
    json(server.post(MESSAGES, message), 202); // the target is known from now on
    toBroker.stall(TO_CLIENT);
    try {
      return schedule(message);
    } finally {
      toBroker.resume();
      await().atMost(PATIENCE).until(() -> schedule(message).status() == 202);
    }
  }

  private static boolean connected() throws Exception {
    return json(server.get("/api/v1/status"), 200).at("/broker/connected").booleanValue();
  }

  private static void store(String key, String more) throws Exception {
    json(server.post(MESSAGES, stored(key, more)), 201);
  }

  private static String stored(String key, String more) {
    return "{\"route\": \"orders\", \"deliverAt\": \"2100-01-01T00:00:00Z\", \"id\": \"%s\"%s}"
        .formatted(key, more);
  }

  private static Answer put(String schedule, String route, String ifMatch) {
    var request =
        server.request(SCHEDULES + "/" + schedule).header("Content-Type", "application/json");
    if (!ifMatch.isEmpty()) {
      request.header("If-Match", ifMatch);
    }
    String definition = "{\"route\": \"%s\", \"every\": \"1h\"}".formatted(route);
    return Answer.of(server.send(request.PUT(BodyPublishers.ofString(definition))));
  }

  private static Answer schedule(String body) {
    return post(MESSAGES, body);
  }

  private static Answer post(String path, String body) {
    return Answer.of(server.post(path, body));
  }

  private static Answer get(String path) {
    return Answer.of(server.get(path));
  }
}
