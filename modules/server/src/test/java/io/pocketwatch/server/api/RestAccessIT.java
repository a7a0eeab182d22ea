// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.api.RestServer.problem;
import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Credentials: for some routes only, and wrong ones. */
class RestAccessIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final String MESSAGES = "/api/v1/messages";
  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.h2();
    RestServer.declareQueues(broker);
    server =
        RunningServer.start(
            folder,
            RestServer.ROUTES
                + """
                server:
                  targets: routes
                  limits: {requests: 1000}
                  credentials:
                    all: {role: write, token: 'env:ALL'}
                    mail: {role: write, token: 'env:MAIL', routes: [mail, plain]}
                """,
            database.url(),
            broker.amqpUri(),
            Map.of("ALL", "token-of-all", "MAIL", "token-of-mail"));
    json(as("all", "POST", MESSAGES, stored("orders")), 201);
    json(as("all", "POST", MESSAGES, stored("mail")), 201);
    get("mail", "/api/v1/session"); // it is known here before the test that guesses credentials
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  private static String stored(String route) {
    return "{\"route\": \"%s\", \"deliverAt\": \"2100-01-01T00:00:00Z\", \"id\": \"a\"}"
        .formatted(route);
  }

  private static HttpResponse<String> as(String who, String method, String path, String body) {
    return server.send(request(who, path).method(method, BodyPublishers.ofString(body)));
  }

  private static HttpRequest.Builder request(String who, String path) {
    return server
        .request(path)
        .header("Authorization", "Bearer token-of-" + who)
        .header("Content-Type", "application/json");
  }

  private static JsonNode get(String who, String path) throws Exception {
    return json(as(who, "GET", path, ""), 200);
  }

  @Test
  void messages_go_to_configured_routes_only() throws Exception {
    String queue = "{\"exchange\": \"\", \"routingKey\": \"%s\", \"delay\": \"1h\"%s}";
    for (String refused :
        new String[] {
          queue.formatted("other", ""),
          queue.formatted("plain", ", \"headers\": {\"CC\": [\"other\"]}"),
          queue.formatted("plain", ", \"headers\": {\"BCC\": [\"plain\", \"other\"]}")
        }) {
      assertThat(problem(as("all", "POST", MESSAGES, refused), 403)).isEqualTo("forbidden");
    }
    json(as("all", "POST", MESSAGES, queue.formatted("plain", "")), 202);
  }

  /** Whoever comes second finds the name taken on another route, also if both look at once. */
  @Test
  void a_credential_never_replaces_a_schedule_that_another_has_just_put() throws Exception {
    String schedule = "{\"route\": \"%s\", \"cron\": \"0 9 * * *\"}";
    for (int round = 0; round < 20; round++) {
      String path = "/api/v1/schedules/at-once-" + round;
      CompletableFuture<HttpResponse<String>> all =
          CompletableFuture.supplyAsync(() -> as("all", "PUT", path, schedule.formatted("orders")));
      CompletableFuture<HttpResponse<String>> mail =
          CompletableFuture.supplyAsync(() -> as("mail", "PUT", path, schedule.formatted("mail")));
      assertThat(all.join().statusCode()).isIn(200, 201);
      assertThat(mail.join().statusCode()).isIn(201, 403);
      assertThat(get("all", path).at("/definition/route").textValue())
          .as("mail put it first, or not at all")
          .isEqualTo("orders");
      assertThat(as("all", "DELETE", path, "").statusCode()).isEqualTo(204);
    }
  }

  @Test
  void a_credential_schedules_and_changes_its_routes_only() throws Exception {
    assertThat(problem(as("mail", "POST", MESSAGES, stored("orders")), 403)).isEqualTo("forbidden");
    String further =
        "{\"route\": \"plain\", \"delay\": \"1h\", \"headers\": {\"CC\": [\"orders\"]}}";
    assertThat(problem(as("mail", "POST", MESSAGES, further), 403)).isEqualTo("forbidden");
    String batch = "{\"messages\": [%s, %s]}".formatted(stored("orders"), stored("mail"));
    JsonNode results = json(as("mail", "POST", MESSAGES + "/batch", batch), 200).at("/results");
    assertThat(results.at("/0/status").intValue()).isEqualTo(403);
    assertThat(results.at("/1/status").intValue()).isEqualTo(200);
    for (String change : new String[] {"/cancel", "/send-now", "/retry"}) {
      HttpResponse<String> refused = as("mail", "POST", MESSAGES + "/orders/a" + change, "{}");
      assertThat(problem(refused, 403)).isEqualTo("forbidden");
    }
    String retry = "{\"change\": \"retry\", \"filter\": {%s}}";
    String others = retry.formatted("\"route\": \"orders\"");
    assertThat(problem(as("mail", "POST", MESSAGES + "/changes", others), 403))
        .isEqualTo("forbidden");
    String anywhere = retry.formatted("\"businessKey\": \"order-4711\"");
    json(as("mail", "POST", MESSAGES + "/changes", anywhere), 200);

    assertThat(
            json(as("mail", "POST", MESSAGES + "/mail/a/send-now", ""), 200)
                .at("/message/changedBy")
                .textValue())
        .isEqualTo("http:mail");
    assertThat(server.store().find(new MessageKey("orders", "a")).orElseThrow().lastChange())
        .isNull();
  }

  @Test
  void a_credential_sees_its_routes_only() throws Exception {
    assertThat(problem(as("mail", "GET", MESSAGES + "/orders/a", ""), 403)).isEqualTo("forbidden");
    assertThat(problem(as("mail", "GET", MESSAGES + "?route=orders", ""), 403))
        .isEqualTo("forbidden");
    for (String list :
        new String[] {MESSAGES, MESSAGES + "?id=a", MESSAGES + "?state=pending,held"}) {
      assertThat(get("all", list).at("/items").findValuesAsText("route")).contains("orders");
      assertThat(get("mail", list).at("/items").findValuesAsText("route")).containsOnly("mail");
    }
    assertThat(get("mail", "/api/v1/routes").findValuesAsText("name"))
        .containsExactlyInAnyOrder("mail", "plain");
    JsonNode counts = get("mail", "/api/v1/counts/states");
    assertThat(counts.at("/routes").has("orders")).isFalse();
    assertThat(counts.at("/total/PENDING").intValue() + counts.at("/total/HELD").intValue())
        .isLessThanOrEqualTo(1);
    String due = "/api/v1/counts/due?from=2100-01-01T00:00:00Z&hours=1";
    assertThat(get("all", due).at("/routes").has("orders")).isTrue();
    assertThat(get("mail", due).at("/routes").has("orders")).isFalse();
    assertThat(get("mail", "/api/v1/history").at("/total/scheduled").isNumber()).isTrue();
    assertThat(problem(as("mail", "GET", "/api/v1/history?route=orders", ""), 403))
        .isEqualTo("forbidden");
    assertThat(get("mail", "/api/v1/session").at("/routes")).hasSize(2);
    assertThat(get("all", "/api/v1/session").at("/routes").isNull()).isTrue();
    assertThat(get("mail", "/api/v1/status").at("/counts/SETTLED").intValue()).isZero();
    assertThat(firstEvent("mail")).contains("\"warnings\":[]", "\"last\":null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"series", "hold-queues", "loaders", "health"})
  void what_is_about_all_routes_is_for_those_who_see_all(String path) throws Exception {
    assertThat(problem(as("mail", "GET", "/api/v1/" + path, ""), 403)).isEqualTo("forbidden");
    get("all", "/api/v1/" + path);
  }

  private static String firstEvent(String who) throws Exception {
    HttpRequest follow =
        request(who, "/api/v1/events").header("Accept", "text/event-stream").build();
    try (InputStream events =
        HttpClient.newHttpClient().send(follow, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      StringBuilder event = new StringBuilder();
      for (int each = events.read(); each >= 0 && event.indexOf("\n\n") < 0; each = events.read()) {
        event.append((char) each);
      }
      return event.toString();
    }
  }

  @Test
  void wrong_credentials_are_counted_and_limited_without_harm_to_who_is_known() throws Exception {
    get("all", "/api/v1/session");
    int limited = 0;
    for (int i = 0; i < 30; i++) {
      HttpResponse<String> refused = as("guess-" + i, "GET", "/api/v1/session", "");
      assertThat(refused.statusCode()).isIn(401, 429);
      limited += refused.statusCode() == 429 ? 1 : 0;
    }
    assertThat(limited).isPositive();
    get("all", "/api/v1/session");
    String counted =
        server
            .get("/metrics")
            .body()
            .lines()
            .filter(line -> line.startsWith("pocketwatch_http_logins_failed_total"))
            .findFirst()
            .orElse("");
    assertThat(Double.parseDouble(counted.replaceAll(".* ", ""))).isEqualTo(30);
  }
}
