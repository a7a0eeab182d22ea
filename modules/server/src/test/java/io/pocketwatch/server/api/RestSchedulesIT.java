// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.api.RestServer.problem;
import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Schedules from YAML and over HTTP, on PostgreSQL. */
class RestSchedulesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ALL = "/api/v1/schedules";
  private static final String YEARLY = "{route: orders, cron: \"0 9 1 1 *\", zone: Europe/Berlin}";
  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.postgresql();
    RestServer.declareQueues(broker);
    server =
        RunningServer.start(
            folder,
            RestServer.ROUTES
                + """
                schedules: {of-yaml: %s}
                server:
                  targets: routes
                  limits: {requests: 5000}
                  credentials:
                    all: {role: write, token: 'env:ALL'}
                    reader: {role: read, token: 'env:READER'}
                    mail: {role: write, token: 'env:MAIL', routes: [mail]}
                """
                    .formatted(YEARLY),
            database.url(),
            broker.amqpUri(),
            Map.of("ALL", "token-of-all", "READER", "token-of-reader", "MAIL", "token-of-mail"));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  private static HttpResponse<String> as(
      String who, String method, String path, String body, String... headers) {
    var request =
        server
            .request(ALL + path)
            .header("Authorization", "Bearer token-of-" + who)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body));
    return server.send(headers.length == 0 ? request : request.headers(headers));
  }

  private static JsonNode get(String path) throws Exception {
    return json(as("all", "GET", path, ""), 200);
  }

  /** One that hardly ever fires while a test runs. */
  private static String atNewYear(String route) {
    return "{\"route\": \"%s\", \"cron\": \"0 0-3 1 1 *\", \"bodyText\": \"x\"}".formatted(route);
  }

  @Test
  void a_reader_previews_and_defines_nothing_of_that_name() throws Exception {
    json(as("reader", "POST", "/preview", atNewYear("orders")), 200);
    assertThat(problem(as("reader", "PUT", "/preview", atNewYear("orders")), 403))
        .isEqualTo("forbidden");
    assertThat(problem(as("all", "GET", "/preview", ""), 404)).isEqualTo("unknown-schedule");

    json(as("all", "PUT", "/preview", atNewYear("orders")), 201);
    assertThat(problem(as("reader", "DELETE", "/preview", ""), 403)).isEqualTo("forbidden");
    assertThat(as("all", "DELETE", "/preview", "").statusCode()).isEqualTo(204);
  }

  @Test
  void a_schedule_is_put_in_fires_and_arrives() throws Exception {
    HttpResponse<String> made =
        as(
            "all",
            "PUT",
            "/fires",
            """
            {"route": "mail", "every": "2s", "times": 3, "catchUp": "all", "headers": {"n": 5},
             "businessKey": "daily", "body": {"price": 1.10} }
            """);

    JsonNode put = json(made, 201);
    assertThat(made.headers().firstValue("ETag")).hasValue("\"1\"");
    assertThat(put.at("/definition/catchUp").textValue()).isEqualTo("all");
    assertThat(put.at("/definition/bodyText").textValue()).isEqualTo("{\"price\": 1.10}");
    assertThat(put.has("owner")).isFalse();
    assertThat(put.at("/changedBy").textValue()).isEqualTo("http:all");
    assertThat(put.at("/words/en").textValue()).isEqualTo("every 2s");
    GetResponse arrived = arrival("mail");
    assertThat(new String(arrived.getBody(), StandardCharsets.UTF_8))
        .isEqualTo("{\"price\": 1.10}");
    assertThat(arrived.getProps().getContentType()).isEqualTo("application/json");
    assertThat(arrived.getProps().getHeaders()).containsEntry("n", 5L);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(get("/fires").at("/state").textValue()).isEqualTo("ended"));
    assertThat(get("/fires").at("/fired").intValue()).isEqualTo(3);
    JsonNode past = get("/fires/occurrences").at("/past");
    assertThat(past).hasSize(3);
    for (JsonNode each : past) {
      assertThat(each.at("/id").textValue()).isEqualTo("fires@" + each.at("/nominal").textValue());
    }
    assertThat(get("/fires/occurrences?past=1").at("/past")).hasSize(1);
  }

  @Test
  void only_who_knows_the_version_redefines() throws Exception {
    json(as("all", "PUT", "/versions", atNewYear("orders"), "If-None-Match", "*"), 201);
    String other = "{\"route\": \"orders\", \"every\": \"2h\"}";
    for (String[] wrong : new String[][] {{"If-None-Match", "*"}, {"If-Match", "\"2\""}}) {
      assertThat(problem(as("all", "PUT", "/versions", other, wrong), 412))
          .isEqualTo("other-version");
    }
    HttpResponse<String> edited = as("all", "PUT", "/versions", other, "If-Match", "\"1\"");
    assertThat(json(edited, 200).at("/version").intValue()).isEqualTo(2);
    assertThat(edited.headers().firstValue("ETag")).hasValue("\"2\"");
    assertThat(problem(as("all", "DELETE", "/versions", "", "If-Match", "\"1\""), 412))
        .isEqualTo("other-version");
    assertThat(as("all", "DELETE", "/versions", "", "If-Match", "*").statusCode()).isEqualTo(204);
    assertThat(problem(as("all", "DELETE", "/versions", ""), 404)).isEqualTo("unknown-schedule");
  }

  @Test
  void what_is_wrong_is_named() throws Exception {
    for (String[] wrong :
        new String[][] {
          {"{\"route\": \"orders\", \"cron\": \"61 * * * *\"}", "/cron"},
          {"{\"route\": \"orders\", \"cron\": \"0 0 9 1W,15W * *\"}", "/cron"},
          {"{\"route\": \"orders\", \"every\": \"1h\", \"catchUp\": \"some\"}", "/catchUp"},
          {"{\"route\": \"orders\", \"every\": \"1h\", \"catch-up\": \"all\"}", "/catch-up"},
          {"{\"route\": \"orders\", \"every\": \"1h\", \"times\": 0}", "/times"},
          {"{\"route\": \"orders\"}", ""}
        }) {
      HttpResponse<String> answer = as("all", "PUT", "/wrong", wrong[0]);
      assertThat(problem(answer, 400)).as(wrong[0]).isEqualTo("invalid-field");
      if (wrong[1].equals("/cron")) {
        assertThat(problem(as("all", "POST", "/preview", wrong[0]), 400))
            .isEqualTo("invalid-field");
      }
      assertThat(json(answer, 400).at("/pointer").textValue()).isEqualTo(wrong[1]);
    }
    assertThat(problem(as("all", "PUT", "/wrong", atNewYear("plain")), 422))
        .isEqualTo("impossible-schedule");
    assertThat(problem(as("all", "PUT", "/no%20name", atNewYear("orders")), 400))
        .isEqualTo("invalid-field");
    assertThat(problem(as("all", "GET", "/wrong", ""), 404)).isEqualTo("unknown-schedule");
  }

  @Test
  void a_list_has_no_bodies_and_no_headers() throws Exception {
    String large = "x".repeat(200_000);
    String body = "{\"route\": \"orders\", \"cron\": \"0 0 9 31W * *\", \"bodyText\": \"" + large;
    json(as("all", "PUT", "/large", body + "\", \"headers\": {\"n\": 5}}"), 201);

    assertThat(get("/large").at("/definition/bodyText").textValue()).isEqualTo(large);
    assertThat(get("/large").at("/definition/headers/n").intValue()).isEqualTo(5);
    String list = as("all", "GET", "", "").body();
    assertThat(list).contains("31W").doesNotContain("xxxxx", "\"headers\"");
    assertThat(as("all", "DELETE", "/large", "").statusCode()).isEqualTo(204);
  }

  @Test
  void yaml_owns_its_schedules() throws Exception {
    JsonNode found = get("/of-yaml");
    assertThat(found.at("/owner").textValue()).isEqualTo("serve");
    assertThat(found.at("/words/en").textValue()).isNotBlank();
    assertThat(problem(as("all", "PUT", "/of-yaml", atNewYear("orders")), 409))
        .isEqualTo("schedule-owned-by-yaml");
    assertThat(problem(as("all", "DELETE", "/of-yaml", ""), 409))
        .isEqualTo("schedule-owned-by-yaml");

    JsonNode paused =
        json(as("all", "POST", "/of-yaml/pause", "{\"note\": \"moving house\"}"), 200);
    assertThat(paused.at("/state").textValue()).isEqualTo("paused");
    assertThat(paused.at("/note").textValue()).isEqualTo("moving house");
    assertThat(paused.has("nextAt")).isFalse();
    assertThat(
            problem(
                as("all", "POST", "/of-yaml/pause", "{\"until\": \"2020-01-01T00:00:00Z\"}"), 400))
        .isEqualTo("invalid-field");
    assertThat(json(as("all", "POST", "/of-yaml/resume", ""), 200).at("/state").textValue())
        .isEqualTo("active");
  }

  @Test
  void a_changed_file_counts_and_what_is_gone_from_it_is_orphaned() throws Exception {
    Path file = folder.resolve("pocketwatch.yml");
    String before = Files.readString(file);
    String weekly = "{route: orders, cron: \"0 9 * * MON\"}";

    Files.writeString(file, before.replace(YEARLY, YEARLY + ", late-comer: " + weekly));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(json(as("all", "GET", "/late-comer", ""), 200).at("/state").textValue())
                    .isEqualTo("active"));
    Files.writeString(file, before);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(get("/late-comer").at("/state").textValue()).isEqualTo("orphaned"));
    assertThat(problem(as("all", "POST", "/late-comer/resume", ""), 409))
        .isEqualTo("schedule-owned-by-yaml");
    assertThat(as("all", "DELETE", "/late-comer", "").statusCode()).isEqualTo(204);
  }

  @Test
  void a_run_is_sent_once_per_id_and_is_no_occurrence() throws Exception {
    json(as("all", "PUT", "/by-hand", atNewYear("orders")), 201);
    JsonNode first = json(as("all", "POST", "/by-hand/run", "{\"id\": \"k\"}"), 201);
    assertThat(first.at("/id").textValue()).isEqualTo("by-hand@run-k");
    assertThat(json(as("all", "POST", "/by-hand/run", "", "Idempotency-Key", "k"), 200))
        .hasToString(first.toString().replace("false", "true"));
    json(as("all", "POST", "/by-hand/run", ""), 201);
    assertThat(get("/by-hand/occurrences?next=3").at("/next")).hasSize(3);
    assertThat(get("/by-hand/occurrences").at("/past")).hasSize(2);
    assertThat(get("/by-hand").at("/fired").intValue()).isZero();
  }

  @Test
  void a_preview_says_what_daylight_saving_does() throws Exception {
    JsonNode preview =
        json(
            as(
                "reader",
                "POST",
                "/preview",
                """
                {"cron": "30 2 * * *", "zone": "Europe/Berlin", "starts": "2099-03-28T00:00"}
                """),
            200);

    assertThat(preview.at("/next")).hasSize(10);
    assertThat(preview.at("/next/1/nominal").textValue()).isEqualTo("2099-03-29T01:00:00Z");
    assertThat(preview.at("/next/1/local").textValue()).isEqualTo("2099-03-29T03:00+02:00");
    assertThat(preview.at("/next/1/remark").textValue()).contains("02:30");
    assertThat(preview.at("/words/zh").textValue()).isNotBlank();
    assertThat(
            problem(
                as(
                    "all",
                    "POST",
                    "/preview",
                    "{\"every\": \"1h\", \"ends\": \"2020-01-01T00:00\"}"),
                422))
        .isEqualTo("impossible-schedule");
  }

  @Test
  void who_may() throws Exception {
    json(as("all", "PUT", "/of-orders", atNewYear("orders")), 201);
    json(as("mail", "PUT", "/of-mail", atNewYear("mail")), 201);

    assertThat(problem(as("reader", "PUT", "/of-mail", atNewYear("mail")), 403))
        .isEqualTo("forbidden");
    assertThat(problem(as("reader", "POST", "/of-mail/run", ""), 403)).isEqualTo("forbidden");
    assertThat(json(as("reader", "GET", "/of-mail", ""), 200).at("/name").textValue())
        .isEqualTo("of-mail");
    assertThat(problem(as("mail", "PUT", "/mine", atNewYear("orders")), 403))
        .isEqualTo("forbidden");
    assertThat(problem(as("mail", "PUT", "/of-orders", atNewYear("mail")), 403))
        .isEqualTo("forbidden");
    String elsewhere = atNewYear("mail").replace("}", ", \"routingKey\": \"orders\"}");
    for (String who : List.of("mail", "all")) {
      assertThat(problem(as(who, "PUT", "/of-mail", elsewhere), 403)).isEqualTo("forbidden");
    }
    for (String hidden : List.of("/of-orders", "/of-orders/occurrences")) {
      assertThat(problem(as("mail", "GET", hidden, ""), 404)).isEqualTo("unknown-schedule");
    }
    assertThat(json(as("mail", "GET", "", ""), 200).at("/schedules").findValuesAsText("name"))
        .contains("of-mail")
        .doesNotContain("of-orders", "of-yaml");
  }

  @Tag("ci")
  @Test
  void the_metrics_follow_the_schedules() throws Exception {
    Instant began = Instant.now();
    json(as("all", "PUT", "/counted", atNewYear("orders")), 201);
    String line = "pocketwatch_schedule_fired_total{schedule=\"counted\"} 0.0";
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(server.get("/metrics").body()).contains(line));
    assertThat(server.get("/metrics").body())
        .contains(
            "pocketwatch_schedule_lag_seconds{schedule=\"counted\"} 0.0",
            "pocketwatch_schedule_late{schedule=\"counted\"} 0.0");
    assertThat(as("all", "DELETE", "/counted", "").statusCode()).isEqualTo(204);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(server.get("/metrics").body()).doesNotContain("schedule=\"counted\""));
    JsonNode health = json(server.get("/health"), 200).at("/schedules");
    assertThat(health.at("/running").booleanValue()).isTrue();
    assertThat(Instant.parse(health.at("/lastPass").textValue()))
        .isAfter(began.minus(Duration.ofMinutes(1)));
  }

  private static GetResponse arrival(String queue) throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      return await()
          .atMost(PATIENCE)
          .until(() -> channel.basicGet(queue, true), got -> got != null);
    }
  }
}
