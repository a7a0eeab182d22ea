// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLConnection;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Schedule, find, reschedule, cancel, retry, and see it all, on PostgreSQL. */
class RestMessagesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.postgresql();
    server =
        RestServer.start(
            folder, database, broker, "server: {limits: {requests: 5000, event-streams: 2}}\n");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @Test
  void a_stored_message_from_schedule_to_arrival() throws Exception {
    String body = "{\"order\": 9007199254740993,\t\"price\":1.10, \"big\":1e999, \"10\":[{},{}]}";
    HttpResponse<String> answer =
        server.post(
            "/api/v1/messages",
            """
            {"route": "mail", "delay": "30m", "businessKey": "order-4711", "priority": 3,
             "id": "order/4711%%", "headers": {"n": 5, "t": "x", "l": [1.5, true]},
             "body": %s }
            """
                .formatted(body));
    JsonNode receipt = json(answer, 201);
    String href = "/api/v1/messages/mail/order%2F4711%25";
    assertThat(answer.headers().firstValue("Location")).hasValue(href);
    assertThat(receipt.at("/href").textValue()).isEqualTo(href);
    assertThat(receipt.at("/strategy").textValue()).isEqualTo("STORE");

    JsonNode found = json(server.get(href), 200);
    assertThat(found.at("/bodyText").textValue()).isEqualTo(body);
    assertThat(found.at("/headers/n").longValue()).isEqualTo(5);
    assertThat(found.at("/headers/l/1").booleanValue()).isTrue();
    assertThat(found.at("/contentType").textValue()).isEqualTo("application/json");
    assertThat(found.at("/state").textValue()).isEqualTo("PENDING");
    assertThat(found.at("/deliverAt")).isEqualTo(receipt.at("/deliverAt"));
    for (String search : List.of("id=order%2F4711%25", "businessKey=order-4711&state=pending")) {
      assertThat(json(server.get("/api/v1/messages?" + search), 200).at("/items"))
          .as(search)
          .hasSize(1);
    }

    Instant later = Instant.parse("2100-01-31T08:00:00Z");
    JsonNode moved =
        json(server.post(href + "/reschedule", "{\"deliverAt\": \"" + later + "\"}"), 200);
    assertThat(moved.at("/message/deliverAt").textValue()).isEqualTo(later.toString());
    assertThat(moved.at("/detail").textValue()).startsWith("Rescheduled: ");
    json(server.post(href + "/send-now", "{}"), 200);
    GetResponse arrived = arrival("mail");
    JsonNode life = json(server.get(href), 200).at("/life");
    assertThat(life.findValuesAsText("what")).startsWith("scheduled", "rescheduled", "rescheduled");
    assertThat(life.at("/0/due")).isEqualTo(receipt.at("/deliverAt"));
    assertThat(life.at("/1/due").textValue()).isEqualTo(later.toString());
    assertThat(life.at("/1/by").textValue()).isEqualTo("http:anybody");
    assertThat(new String(arrived.getBody(), StandardCharsets.UTF_8)).isEqualTo(body);
    assertThat(arrived.getProps().getPriority()).isEqualTo(3);
    assertThat(arrived.getProps().getHeaders()).containsEntry("n", 5L);
    assertThat(RestServer.problem(server.post(href + "/cancel", "{}"), 409)).isEqualTo("too-late");
  }

  @Test
  void all_of_a_filter_are_counted_moved_and_cancelled() throws Exception {
    for (int i = 0; i < 3; i++) {
      String message =
          "{\"route\": \"mail\", \"deliverAt\": \"2100-01-31T08:00:0%sZ\", \"businessKey\":"
              + " \"many\"}";
      json(server.post("/api/v1/messages", message.formatted(i)), 201);
    }
    String ask =
        "{\"change\": \"%s\"%s, \"filter\": {\"businessKey\": \"many\","
            + " \"dueFrom\": \"2100-01-31T08:00:01Z\"}}";
    JsonNode dry = json(changes(ask.formatted("cancel", ", \"dryRun\": true")), 200);
    assertThat(dry.at("/matching").intValue()).isEqualTo(2);
    JsonNode moved = json(changes(ask.formatted("reschedule", ", \"by\": \"1h\"")), 200);
    assertThat(moved.at("/changed").intValue()).isEqualTo(2);
    assertThat(moved.get("next").isNull()).isTrue();
    assertThat(
            json(server.get("/api/v1/messages?businessKey=many&dueFrom=2100-01-31T09:00:01Z"), 200)
                .at("/items"))
        .hasSize(2);
    JsonNode cancelled = json(changes(ask.formatted("cancel", "")), 200);
    assertThat(cancelled.at("/changed").intValue()).isEqualTo(2);
    assertThat(cancelled.at("/tooLate").intValue()).isZero();
    assertThat(
            json(server.get("/api/v1/messages?businessKey=many&state=cancelled"), 200).at("/items"))
        .hasSize(2)
        .allMatch(each -> each.at("/changedBy").textValue().startsWith("http:"));

    for (String wrong :
        List.of(
            "{\"change\": \"cancel\", \"filter\": {}}",
            "{\"change\": \"cancel\", \"filter\": {\"states\": [\"PENDING\"]}}",
            "{\"change\": \"cancel\", \"filter\": {\"route\": \"mail\", \"states\":"
                + " [\"SETTLED\"]}}",
            "{\"change\": \"drop\", \"filter\": {\"route\": \"mail\"}}",
            "{\"change\": \"cancel\"}",
            ask.formatted("reschedule", ""),
            ask.formatted("cancel", ", \"by\": \"1h\""),
            ask.formatted("reschedule", ", \"by\": \"99999d\""))) {
      assertThat(RestServer.problem(changes(wrong), 400)).as(wrong).isEqualTo("invalid-field");
    }
    assertThat(RestServer.problem(changes(ask.formatted("cancel", ", \"cursor\": \"W10\"")), 400))
        .isEqualTo("invalid-cursor");
  }

  private static HttpResponse<String> changes(String body) throws Exception {
    return server.post("/api/v1/messages/changes", body);
  }

  /** As code for RabbitMQ 4.4 asks for an instant. */
  @Test
  void the_brokers_own_header_for_an_instant_is_one() throws Exception {
    Instant due = Instant.parse("2100-01-31T08:00:00Z");
    JsonNode receipt =
        json(
            server.post(
                "/api/v1/messages",
                "{\"route\": \"orders\", \"headers\": {\"x-opt-delivery-time\": %s}}"
                    .formatted(due.toEpochMilli())),
            201);

    assertThat(Instant.parse(receipt.at("/deliverAt").textValue())).isEqualTo(due);
    JsonNode found = json(server.get(receipt.at("/href").textValue()), 200);
    assertThat(found.at("/headers").has("x-opt-delivery-time")).isFalse();
    assertThat(
            RestServer.problem(
                server.post(
                    "/api/v1/messages",
                    "{\"route\": \"orders\", \"headers\": {\"x-opt-delivery-time\": \"soon\"}}"),
                422))
        .isNotBlank();
  }

  @Test
  void an_id_with_a_backslash_can_be_addressed() throws Exception {
    JsonNode receipt =
        json(
            server.post(
                "/api/v1/messages",
                "{\"route\": \"orders\", \"delay\": \"1h\", \"id\": \"C:\\\\dir\\\\1\"}"),
            201);
    String href = receipt.at("/href").textValue();
    assertThat(href).endsWith("/C%3A%5Cdir%5C1");
    assertThat(json(server.get(href), 200).at("/id").textValue()).isEqualTo("C:\\dir\\1");

    JsonNode cancelled = json(server.post(href + "/cancel", "{}"), 200);
    assertThat(cancelled.at("/message/changedBy").textValue()).isEqualTo("http:anybody");
    assertThat(Instant.parse(cancelled.at("/message/changedAt").textValue()))
        .isAfter(Instant.now().minus(PATIENCE));
  }

  @Test
  void what_the_broker_holds() throws Exception {
    JsonNode receipt =
        json(
            server.post(
                "/api/v1/messages",
                "{\"exchange\": \"\", \"routingKey\": \"plain\", \"delay\": \"1s\","
                    + " \"contentType\": \"text/x\", \"bodyBase64\": \"aGVsbG8=\"}"),
            202);
    assertThat(receipt.at("/stored").booleanValue()).isFalse();
    assertThat(receipt.at("/route").textValue()).isEqualTo("plain");
    GetResponse arrived = arrival("plain");
    assertThat(new String(arrived.getBody(), StandardCharsets.UTF_8)).isEqualTo("hello");
    assertThat(arrived.getProps().getContentType()).isEqualTo("text/x");
  }

  @Test
  void cancelled() throws Exception {
    json(schedule("orders", "to-cancel", "10m"), 201);
    JsonNode changed = json(server.post("/api/v1/messages/orders/to-cancel/cancel", ""), 200);
    assertThat(changed.at("/message/state").textValue()).isEqualTo("CANCELLED");
  }

  @Test
  void each_of_a_batch_stands_for_itself() throws Exception {
    JsonNode result =
        json(
            server.post(
                "/api/v1/messages/batch",
                """
                {"messages": [
                  {"route": "orders", "delay": "90m", "id": "in-a-batch"},
                  {"route": "orders", "delay": "90m", "id": "in-a-batch"},
                  {"route": "none", "delay": "90m"},
                  {"route": "plain", "delay": "1h", "id": "x"},
                  5,
                  {"route": "events", "routingKey": "a.b", "delay": "1h", "body": null}
                ]}
                """),
            200);
    assertThat(result.at("/accepted").intValue()).isEqualTo(3);
    assertThat(result.at("/refused").intValue()).isEqualTo(3);
    List<Integer> statuses = new ArrayList<>();
    result.at("/results").forEach(each -> statuses.add(each.at("/status").intValue()));
    assertThat(statuses.subList(0, 2))
        .as("the same, stored at once")
        .containsExactlyInAnyOrder(201, 200);
    assertThat(statuses.subList(2, 6)).containsExactly(422, 422, 400, 202);
    assertThat(result.at("/results/4/problem/pointer").textValue()).isEqualTo("/messages/4");
  }

  @Test
  void one_id_many_times_is_one_message() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(32);
    try {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        answers.add(
            CompletableFuture.supplyAsync(() -> schedule("orders", "only-one", "70m"), threads));
      }
      List<Integer> statuses =
          answers.stream().map(each -> each.join().statusCode()).sorted().toList();
      assertThat(statuses.subList(0, 399)).containsOnly(200);
      assertThat(statuses.get(399)).isEqualTo(201);
    } finally {
      threads.shutdownNow();
    }
    assertThat(server.store().find(new MessageKey("orders", "only-one"))).isPresent();
    assertThat(server.store().count(MessageQuery.all().businessKey("b-only-one"))).isOne();
    HttpResponse<String> other =
        server.post(
            "/api/v1/messages",
            "{\"route\": \"orders\", \"delay\": \"70m\", \"id\": \"only-one\","
                + " \"body\": \"other\"}");
    assertThat(RestServer.problem(other, 409)).isEqualTo("id-conflict");
  }

  @Test
  void a_request_that_names_no_time_can_be_repeated_under_its_key() throws Exception {
    String request = "{\"route\": \"orders\", \"id\": \"at-once\"}";

    json(server.post("/api/v1/messages", request), 201);

    assertThat(json(server.post("/api/v1/messages", request), 200).at("/duplicate").booleanValue())
        .isTrue();
  }

  @Tag("ci")
  @Test
  void what_can_be_seen() throws Exception {
    json(schedule("orders", "seen", "100m"), 201);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        json(server.get("/api/v1/counts/states"), 200)
                            .at("/routes/orders")
                            .toString())
                    .contains("\"PENDING\":"));
    JsonNode due = json(server.get("/api/v1/counts/due?hours=3&route=orders"), 200);
    assertThat(due.at("/steps").intValue()).isEqualTo(180);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        json(server.get("/api/v1/counts/due?hours=3&stepMinutes=60"), 200)
                            .at("/routes/orders"))
                    .isNotEmpty());
    JsonNode loaders = json(server.get("/api/v1/loaders"), 200);
    assertThat(loaders.at("/own/running").booleanValue()).isTrue();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              JsonNode own = json(server.get("/api/v1/loaders"), 200).at("/loaders/0");
              assertThat(own.at("/own").booleanValue()).isTrue();
              assertThat(own.at("/leaseSeconds")).isEqualTo(loaders.at("/own/leaseSeconds"));
              assertThat(Instant.parse(own.at("/lastRun").textValue())).isBefore(Instant.now());
            });
    assertThat(json(server.get("/api/v1/parked"), 200).at("/groups").isArray()).isTrue();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(json(server.get("/api/v1/series"), 200).at("/points").size())
                    .isGreaterThan(300));
    assertThat(json(server.get("/api/v1/series?minutes=1"), 200).at("/points")).hasSize(6);
    JsonNode status = json(server.get("/api/v1/status"), 200);
    assertThat(status.at("/broker/connected").booleanValue()).isTrue();
    assertThat(status.at("/last/at").isTextual()).isTrue();
  }

  @Test
  void hold_queues_by_length() throws Exception {
    json(
        server.post(
            "/api/v1/messages",
            "{\"exchange\": \"\", \"routingKey\": \"plain\", \"delay\": \"30m\"}"),
        202);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              JsonNode holds = json(server.get("/api/v1/hold-queues"), 200);
              assertThat(holds.at("/held").longValue()).isPositive();
              assertThat(holds.at("/strategies/QUEUE_WHEEL").longValue()).isPositive();
              assertThat(holds.at("/queues").findValuesAsText("name"))
                  .anyMatch(name -> name.contains(".wheel."));
              assertThat(holds.at("/unroutable").longValue()).isZero();
            });
  }

  @Test
  void events_tell_the_status() throws Exception {
    URLConnection stream = URI.create(server.url() + "/api/v1/events").toURL().openConnection();
    stream.setRequestProperty("Accept", "text/event-stream");
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(stream.getInputStream(), StandardCharsets.UTF_8))) {
      int seen = 0;
      while (seen < 2) {
        String line = reader.readLine();
        if (line.startsWith("data: ")) {
          assertThat(
                  RunningServer.JSON.readTree(line.substring(6)).at("/counts/PENDING").isNumber())
              .isTrue();
          seen++;
        }
      }
    }
  }

  private static HttpResponse<String> schedule(String route, String key, String delay) {
    return server.post(
        "/api/v1/messages",
        "{\"route\": \"%s\", \"delay\": \"%s\", \"id\": \"%s\", \"businessKey\": \"b-%s\"}"
            .formatted(route, delay, key, key));
  }

  private static GetResponse arrival(String queue) throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      return await()
          .atMost(PATIENCE)
          .pollInterval(50, TimeUnit.MILLISECONDS)
          .until(() -> channel.basicGet(queue, true), response -> response != null);
    }
  }
}
