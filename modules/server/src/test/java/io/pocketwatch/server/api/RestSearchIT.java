// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Finding messages by a part of a name, lists in either order, several changed. */
class RestSearchIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.postgresql();
    server = RestServer.start(folder, database, broker, "");
    for (int i = 0; i < 12; i++) {
      schedule(
          "orders", String.format(Locale.ROOT, "ORDER-47%02d-timeout", i), "customer-" + i % 3, i);
    }
    schedule("mail", "welcome-4711", "Order-9", 30);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @Test
  void a_part_of_an_id_or_business_key_in_any_case() throws Exception {
    assertThat(ids("search=4711")).containsExactly("ORDER-4711-timeout", "welcome-4711");
    assertThat(ids("search=order-471")).containsExactly("ORDER-4710-timeout", "ORDER-4711-timeout");
    assertThat(ids("search=order-9")).containsExactly("welcome-4711");
    assertThat(ids("search=4711&route=mail")).containsExactly("welcome-4711");
    assertThat(ids("search=4711&state=PARKED")).isEmpty();
    assertThat(ids("search=STOMER-1"))
        .containsExactly(
            "ORDER-4701-timeout", "ORDER-4704-timeout", "ORDER-4707-timeout", "ORDER-4710-timeout");
    assertThat(ids("search=%25")).isEmpty();
    assertThat(ids("search=order&order=desc").get(0)).isEqualTo("welcome-4711");
  }

  @Test
  void more_than_a_page_is_gone_on_with() throws Exception {
    List<String> found = new ArrayList<>();
    String next = "";
    while (next != null) {
      JsonNode page = list("search=timeout&limit=5" + next);
      page.at("/items").forEach(each -> found.add(each.at("/id").textValue()));
      next = page.at("/next").isNull() ? null : "&cursor=" + page.at("/next").textValue();
    }
    assertThat(found).hasSize(12).doesNotHaveDuplicates();
    String cursor = list("search=timeout&limit=5").at("/next").textValue();
    assertThat(RestServer.problem(server.get(path("search=other&cursor=" + cursor)), 400))
        .isEqualTo("invalid-cursor");
  }

  @Test
  void a_business_key_is_found_whole_and_rows_of_other_routes_hide_none(@TempDir Path other)
      throws Exception {
    try (TestDatabase own = TestDatabases.postgresql();
        RunningServer limited =
            RunningServer.start(
                other,
                RestServer.ROUTES
                    + """
                    server:
                      limits: {requests: 5000}
                      credentials:
                        all: {role: write, token: 'env:ALL'}
                        mail: {role: read, token: 'env:MAIL', routes: [mail, plain]}
                    """,
                own.url(),
                broker.amqpUri(),
                Map.of("ALL", "token-of-all", "MAIL", "token-of-mail"))) {
      List<String> orders = new ArrayList<>();
      List<String> mails = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        orders.add(schedule(limited, "orders", i, "shared-1"));
      }
      for (int i = 10; i < 15; i++) {
        mails.add(schedule(limited, "mail", i, i < 14 ? "shared-1" : "shared-2"));
      }

      assertThat(found(limited, "mail", "search=shared&limit=3"))
          .containsExactlyElementsOf(mails)
          .hasSize(5);
      assertThat(found(limited, "mail", "search=MESSAGE-&limit=2"))
          .containsExactlyElementsOf(mails);
      assertThat(found(limited, "mail", "search=shared&route=mail&limit=2"))
          .containsExactlyElementsOf(mails);
      assertThat(found(limited, "mail", "search=shared&limit=2&businessKey=shared-2"))
          .containsExactly("message-14");
      for (String query : List.of("search=shared&limit=4", "search=message-&limit=4")) {
        assertThat(found(limited, "all", query))
            .containsExactlyInAnyOrderElementsOf(
                Stream.of(orders, mails).flatMap(List::stream).toList());
      }
      assertThat(found(limited, "all", "search=shared-1&order=desc&limit=13").get(0))
          .isEqualTo("message-13");
    }
  }

  private static String schedule(RunningServer server, String route, int number, String key)
      throws Exception {
    String id = "message-" + number;
    String body =
        String.format(
            Locale.ROOT,
            "{\"route\":\"%s\",\"id\":\"%s\",\"businessKey\":\"%s\",\"deliverAt\":\"2200-01-01T00:%02d:00Z\",\"body\":1}",
            route,
            id,
            key,
            number);
    RunningServer.json(
        server.send(
            server
                .request("/api/v1/messages")
                .header("Authorization", "Bearer token-of-all")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))),
        201);
    return id;
  }

  /** Page by page. */
  private static List<String> found(RunningServer server, String who, String query)
      throws Exception {
    List<String> found = new ArrayList<>();
    for (String next = ""; next != null; ) {
      JsonNode page =
          RunningServer.json(
              server.send(
                  server
                      .request(path(query + next))
                      .header("Authorization", "Bearer token-of-" + who)),
              200);
      page.at("/items").forEach(each -> found.add(each.at("/id").textValue()));
      next = page.at("/next").isNull() ? null : "&cursor=" + page.at("/next").textValue();
    }
    return found;
  }

  @Test
  void those_due_last_first_page_by_page() throws Exception {
    JsonNode first = list("route=orders&order=desc&limit=7");
    String next = first.at("/next").textValue();
    List<String> all = new ArrayList<>();
    first.at("/items").forEach(each -> all.add(each.at("/id").textValue()));
    list("route=orders&order=desc&limit=7&cursor=" + next)
        .at("/items")
        .forEach(each -> all.add(each.at("/id").textValue()));
    assertThat(all).hasSize(12).first().isEqualTo("ORDER-4711-timeout");
    assertThat(all).last().isEqualTo("ORDER-4700-timeout");
    assertThat(RestServer.problem(server.get(path("route=orders&cursor=" + next)), 400))
        .isEqualTo("invalid-cursor");
    assertThat(RestServer.problem(server.get(path("order=up")), 400))
        .isEqualTo("invalid-parameter");
  }

  @Test
  void several_are_changed_by_their_names() throws Exception {
    schedule("mail", "one", null, 50);
    schedule("mail", "two", null, 51);
    String body =
        "{\"change\":\"%s\",\"messages\":[{\"route\":\"mail\",\"id\":\"one\"},"
            + "{\"route\":\"mail\",\"id\":\"two\"},{\"route\":\"mail\",\"id\":\"three\"}]}";
    JsonNode moved = changed(body.formatted("reschedule").replace("]}", "],\"by\":\"1h\"}"), 200);
    assertThat(moved.at("/changed").intValue()).isEqualTo(2);
    assertThat(moved.at("/unknown").intValue()).isEqualTo(1);
    JsonNode cancelled = changed(body.formatted("cancel"), 200);
    assertThat(cancelled.at("/changed").intValue()).isEqualTo(2);
    assertThat(cancelled.at("/left").intValue()).isZero();
    assertThat(cancelled.at("/outcomes/2/outcome").textValue()).isEqualTo("UNKNOWN");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> notes().toString().contains("\"what\":\"cancel\""));
    JsonNode note = notes().at("/0");
    assertThat(note.at("/by").textValue()).isEqualTo("http:anybody");
    assertThat(note.at("/route").textValue()).isEqualTo("mail");
    assertThat(note.at("/subject").textValue()).isEqualTo("three");
    assertThat(note.at("/done").intValue()).isEqualTo(2);
    assertThat(note.at("/refused").intValue()).isEqualTo(1);
    assertThat(notes().at("/1/what").textValue()).isEqualTo("reschedule");
    assertThat(ids("search=one&state=CANCELLED")).containsExactly("one");
    assertThat(changed("{\"change\":\"cancel\",\"messages\":[]}", 400).at("/detail").textValue())
        .contains("1 to 1000");
  }

  private static void schedule(String route, String id, String businessKey, int minutes)
      throws Exception {
    String key = businessKey == null ? "" : ",\"businessKey\":\"" + businessKey + "\"";
    RunningServer.json(
        server.post(
            "/api/v1/messages",
            String.format(
                Locale.ROOT,
                "{\"route\":\"%s\",\"id\":\"%s\",\"deliverAt\":\"2200-01-01T00:%02d:00Z\",\"body\":1%s}",
                route,
                id,
                minutes,
                key)),
        201);
  }

  private static JsonNode changed(String body, int status) throws Exception {
    return RunningServer.json(server.post("/api/v1/messages/changes", body), status);
  }

  private static JsonNode notes() throws Exception {
    return RunningServer.json(server.get("/api/v1/changes?limit=10"), 200).at("/items");
  }

  private static String path(String query) {
    return "/api/v1/messages?" + query;
  }

  private static JsonNode list(String query) throws Exception {
    return RunningServer.json(server.get(path(query)), 200);
  }

  private static List<String> ids(String query) throws Exception {
    List<String> ids = new ArrayList<>();
    list(query).at("/items").forEach(each -> ids.add(each.at("/id").textValue()));
    return ids;
  }
}
