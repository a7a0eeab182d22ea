// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.api.RestServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.ProblemOfFailure;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways to be refused; {@link EveryProblemIT} has one of each kind, also of what is away. */
class RestErrorsIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.h2();
    server =
        RestServer.start(
            folder,
            database,
            broker,
            "publisher: {max-body-size: 1000}\n"
                + "server: {limits: {requests: 1000, request-size: 4096, batch: 3, schedules: 20,"
                + " event-streams: 1}}\n");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{                                                  | 400 | malformed               |",
        "[]                                                 | 400 | invalid-field           |",
        "{\"route\": \"orders\", \"route\": \"orders\"}     | 400 | malformed               |",
        "{\"route\": \"orders\"} {}                         | 400 | malformed               |",
        "{\"delay\": \"1h\"}                                | 400 | invalid-field | /routingKey",
        "{\"route\": \"orders\", \"when\": \"1h\"}          | 400 | invalid-field | /when",
        "{\"route\": \"orders\", \"delay\": 5}              | 400 | invalid-field | /delay",
        "{\"route\": \"orders\", \"delay\": null}           | 400 | invalid-field | /delay",
        "{\"route\": \"orders\", \"deliverAt\": null}       | 400 | invalid-field | /deliverAt",
        "{\"route\": \"orders\", \"delay\": \"5 min\"}      | 400 | invalid-field | /delay",
        "{\"route\": \"orders\", \"delay\": \"-5s\"}        | 400 | invalid-field | /delay",
        "{\"route\": \"orders\", \"deliverAt\": \"today\"}  | 400 | invalid-field | /deliverAt",
        "{\"route\": \"orders\", \"deliverAt\": \"1969-01-01T00:00:00Z\"} | 400 | invalid-field |"
            + " /deliverAt",
        "{\"route\": \"orders\", \"deliverAt\": \"+10000-01-01T00:00:00Z\"} | 400 | invalid-field |"
            + " /deliverAt",
        "{\"route\": \"orders\", \"deliverAt\": \"9999-12-31T23:59:59.9991Z\"} | 400 |"
            + " invalid-field | /deliverAt",
        "{\"route\": \"orders\", \"delay\": \"9999999d\"}  | 400 | invalid-field | /delay",
        "{\"route\": \"orders\", \"delay\": \"1h\", \"deliverAt\": \"2100-01-01T00:00:00Z\"} | 400"
            + " | invalid-field | /deliverAt",
        "{\"route\": \"orders\", \"body\": 1, \"bodyBase64\": \"\"} | 400 | invalid-field |"
            + " /bodyBase64",
        "{\"route\": \"orders\", \"bodyBase64\": \"?\"}     | 400 | invalid-field | /bodyBase64",
        "{\"route\": \"orders\", \"headers\": {\"pocketwatch-id\": 1}} | 400 | invalid-field |"
            + " /headers/pocketwatch-id",
        "{\"route\": \"orders\", \"headers\": {\"n\": 9223372036854775808}} | 400 | invalid-field |"
            + " /headers/n",
        "{\"route\": \"orders\", \"headers\": {\"n\": \"\\ud800\"}} | 400 | invalid-field |"
            + " /headers/n",
        "{\"route\": \"orders\", \"businessKey\": \"\\udc00\"} | 400 | invalid-field |"
            + " /businessKey",
        "{\"route\": \"orders\", \"bodyBase64\": 5}       | 400 | invalid-field | /bodyBase64",
        "{\"route\": \"orders\", \"body\": [1, 2}        | 400 | malformed |",
        "{\"route\": \"orders\", \"body\": \"never ends | 400 | malformed |",
        "{\"route\": \"orders\", \"id\": \"..\"} | 400 | invalid-field |" + " /id",
        "{\"route\": \"orders\", \"exchange\": \"other\"}   | 400 | invalid-field | /exchange",
        "{\"route\": \"events\"}                            | 400 | invalid-field | /routingKey",
        "{\"route\": \"nobody\"}                            | 422 | unknown-route | /route",
        "{\"route\": \"plain\", \"id\": \"a\"}  | 422 | id-unavailable |" + " /id",
        "{\"exchange\": \"\", \"routingKey\": \"gone\", \"delay\": \"1s\"} | 422 | unknown-target"
            + " |",
        "{\"exchange\": \"amq.topic\", \"routingKey\": \"nobody.listens\"} | 422 | unroutable |",
        "{\"route\": \"plain\", \"headers\": {\"CC\": 5}, \"delay\": \"1s\"} | 422 |"
            + " invalid-message |",
      })
  void a_wrong_message(String body, int status, String type, String pointer) throws Exception {
    HttpResponse<String> answer = server.post("/api/v1/messages", body);
    assertThat(problem(answer, status)).isEqualTo(type);
    if (pointer != null) {
      assertThat(RunningServer.JSON.readTree(answer.body()).at("/pointer").textValue())
          .isEqualTo(pointer);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "limit=0, invalid-parameter",
    "limit=1&limit=2, invalid-parameter",
    "state=lost, invalid-parameter",
    "dueFrom=now, invalid-parameter",
    "dueFrom=1969-12-31T23:59:59.999Z, invalid-parameter",
    "dueUntil=%2B10000-01-01T00:00:00Z, invalid-parameter",
    "sort=id, invalid-parameter",
    "route=, invalid-parameter",
    "cursor=abc, invalid-cursor",
    "cursor=WzEsImEiLCJiIiw1XQ, invalid-cursor",
    "businessKey=%ff, invalid-parameter",
  })
  void a_wrong_query(String query, String type) throws Exception {
    assertThat(problem(server.get("/api/v1/messages?" + query), 400)).isEqualTo(type);
  }

  /** What is beyond the year 9999 could not be written as RFC 3339 in any answer. */
  @Test
  void the_range_of_instants_is_said() throws Exception {
    String last = "9999-12-31T23:59:59.999Z";
    String message = "{\"route\": \"orders\", \"id\": \"last\", \"deliverAt\": \"%s\"}";
    RunningServer.json(server.post("/api/v1/messages", message.formatted(last)), 201);
    assertThat(server.get("/api/v1/messages/orders/last").body()).contains(last);
    for (String out : new String[] {"1969-12-31T23:59:59.999Z", "+10000-01-01T00:00:00Z"}) {
      assertThat(detail(server.post("/api/v1/messages", message.formatted(out))))
          .isEqualTo(
              "deliverAt '%s' is out of range; allowed: 1970-01-01T00:00:00Z to %s"
                  .formatted(out, last));
    }
    String move = "/api/v1/messages/orders/last/reschedule";
    assertThat(detail(server.post(move, "{\"deliverAt\": \"+10000-01-01T00:00:00Z\"}")))
        .contains(last);
    assertThat(detail(server.post(move, "{\"delay\": \"106751991167300d\"}"))).contains(last);
    assertThat(detail(server.post(move, "{\"delay\": \"-1ms\"}")))
        .isEqualTo("delay '-1ms' is negative; allowed: 0s and longer");
    assertThat(server.get("/api/v1/messages/orders/last").body()).contains(last);
  }

  /** What has another type says what it should look like. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'route': 'orders', 'delay': null}    | delay is not a text; write 10ms, 15s, 30m,",
        "{'route': 'orders', 'delay': 5}       | delay is not a text; write 10ms, 15s, 30m,",
        "{'route': 'orders', 'deliverAt': 1}   | deliverAt is not a text; write an instant such as",
        "{'route': 'orders', 'deliverAt': 'x'} | deliverAt 'x' is not an instant such as 2030-",
        "{'route': 'orders', 'delay': '9223372036854775807d'} | delay '9223372036854775807d' is too"
      })
  void the_form_of_times_is_said(String request, String detail) throws Exception {
    assertThat(detail(server.post("/api/v1/messages", request.replace('\'', '"'))))
        .startsWith(detail);
  }

  /** Left out, each of them would select more. */
  @ParameterizedTest
  @ValueSource(strings = {"businessKey", "dueUntil", "reason", "states"})
  void a_filter_with_null_changes_nothing(String field) throws Exception {
    String request =
        "{\"change\": \"cancel\", \"dryRun\": true, \"filter\": {\"route\": \"orders\", \"%s\":"
            + " null}}";
    assertThat(detail(server.post("/api/v1/messages/changes", request.formatted(field))))
        .isEqualTo(field + " is null; leave it out");
  }

  private static String detail(HttpResponse<String> refused) throws Exception {
    assertThat(problem(refused, 400)).isEqualTo("invalid-field");
    return RunningServer.JSON.readTree(refused.body()).at("/detail").textValue();
  }

  @Test
  void too_large() throws Exception {
    String body = "{\"route\": \"orders\", \"body\": \"" + "x".repeat(2_000) + "\"}";
    assertThat(problem(server.post("/api/v1/messages", body), 413)).isEqualTo("too-large");
    String request = body.replace("x", "xxxx");
    assertThat(problem(server.post("/api/v1/messages", request), 413)).isEqualTo("too-large");
    String batch = "{\"messages\": [{}, {}, {}, {}]}";
    assertThat(problem(server.post("/api/v1/messages/batch", batch), 413)).isEqualTo("too-large");
  }

  @Test
  void not_json_and_not_here() throws Exception {
    HttpResponse<String> text =
        server.send(server.request("/api/v1/messages").POST(BodyPublishers.ofString("{}")));
    assertThat(problem(text, 415)).isEqualTo("unsupported-media-type");
    assertThat(problem(server.get("/api/v1/nothing"), 404)).isEqualTo("not-found");
    HttpResponse<String> put =
        server.send(server.request("/api/v1/messages").PUT(BodyPublishers.ofString("{}")));
    assertThat(problem(put, 405)).isEqualTo("method-not-allowed");
    assertThat(put.headers().firstValue("Allow").orElse("")).contains("GET", "POST");
    assertThat(problem(server.get("/api/v1/messages/orders/none"), 404))
        .isEqualTo("unknown-message");
    assertThat(problem(server.post("/api/v1/messages/orders/none/cancel", ""), 404))
        .isEqualTo("unknown-message");
  }

  @Test
  void what_cannot_be_is_no_fault_of_the_store() throws Exception {
    String page =
        RunningServer.json(server.get("/api/v1/messages?limit=1"), 200).path("next").asText();
    assertThat(page).isNotNull();
    assertThat(raw("GET /api/v1/messages?businessKey=%zz HTTP/1.1\r\nHost: localhost\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("#invalid-parameter");
    List<Object> place =
        List.of(
            1, "orders", "a\u0000", List.of("null", List.of(), "null", "null", "null").hashCode());
    String cursor = Base64.getUrlEncoder().encodeToString(Answers.bytes(place));
    assertThat(problem(server.get("/api/v1/messages?cursor=" + cursor), 400))
        .isEqualTo("invalid-cursor");
  }

  @Test
  void words_of_the_parser_are_not_repeated() throws Exception {
    String detail =
        RunningServer.JSON
            .readTree(server.post("/api/v1/messages", "{\"route\": \"orders\"").body())
            .at("/detail")
            .textValue();
    assertThat(detail).contains("not JSON", "line: 1").doesNotContain("StreamRead", "Source");
    String twice = server.post("/api/v1/messages", "{\"route\": \"orders\", \"x\": 1}").body();
    assertThat(twice).contains("body, bodyBase64").doesNotContain("body, body,");
  }

  @Test
  void another_charset_is_refused() throws Exception {
    HttpResponse<String> latin =
        server.send(
            server
                .request("/api/v1/messages")
                .header("Content-Type", "application/json; charset=latin1")
                .POST(BodyPublishers.ofString("{}")));
    assertThat(problem(latin, 415)).isEqualTo("unsupported-media-type");
  }

  @Test
  void the_method_is_the_one_of_the_request() throws Exception {
    RunningServer.json(
        server.post(
            "/api/v1/messages", "{\"route\": \"orders\", \"id\": \"kept\", \"delay\": \"1h\"}"),
        201);
    HttpResponse<String> overridden =
        server.send(
            server
                .request("/api/v1/messages/orders/kept/cancel")
                .header("X-HTTP-Method-Override", "POST"));
    assertThat(problem(overridden, 405)).isEqualTo("method-not-allowed");
    assertThat(server.get("/api/v1/messages/orders/kept").body()).doesNotContain("CANCELLED");
  }

  @Test
  void a_conflict_says_what_differs() throws Exception {
    String message =
        "{\"route\": \"orders\", \"id\": \"differs\", \"delay\": \"1h\", \"businessKey\":"
            + " \"%s\", \"body\": %s}";
    RunningServer.json(server.post("/api/v1/messages", message.formatted("one", "1")), 201);
    RunningServer.json(server.post("/api/v1/messages", message.formatted("one", "1")), 200);
    HttpResponse<String> key = server.post("/api/v1/messages", message.formatted("two", "1"));
    assertThat(problem(key, 409)).isEqualTo("id-conflict");
    assertThat(key.body()).contains("\"differs\":[\"businessKey\"]", "another businessKey");
    HttpResponse<String> body = server.post("/api/v1/messages", message.formatted("one", "1.0"));
    assertThat(body.body()).contains("\"differs\":[\"body\"]");
  }

  @Test
  void pages_of_other_sites() throws Exception {
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/v1/messages/orders/1/cancel")
                .header("Origin", "https://other.example")
                .POST(BodyPublishers.noBody()));
    assertThat(problem(answer, 403)).isEqualTo("cross-origin");
    HttpResponse<String> own =
        server.send(
            server
                .request("/api/v1/messages/orders/1/cancel")
                .header("Origin", server.url())
                .POST(BodyPublishers.noBody()));
    assertThat(problem(own, 404)).isEqualTo("unknown-message");
    String behindProxy =
        raw(
            "POST /api/v1/messages/orders/1/cancel HTTP/1.1\r\nHost: localhost:443\r\n"
                + "Origin: https://localhost\r\nContent-Length: 0\r\n");
    assertThat(behindProxy).startsWith("HTTP/1.1 404 ").contains("#unknown-message");
    for (String site : new String[] {"cross-site", "same-site"}) { // of plain HTTP, before a proxy
      String plain =
          raw(
              "POST /api/v1/messages/orders/1/cancel HTTP/1.1\r\nHost: localhost\r\n"
                  + "Origin: http://localhost\r\nSec-Fetch-Site: "
                  + site
                  + "\r\nContent-Length: 0\r\n");
      assertThat(plain).startsWith("HTTP/1.1 403 ").contains("#cross-origin");
    }
    String rebound = raw("GET /api/v1/status HTTP/1.1\r\nHost: other.example\r\n");
    assertThat(rebound).startsWith("HTTP/1.1 421 ").contains("#wrong-host");
  }

  @Test
  void no_http_says_nothing_about_us() throws Exception {
    for (String wrong :
        new String[] {
          "GET / HTTP/9.9\r\nHost: a\r\n", "GET /%zz HTTP/1.1\r\nHost: localhost\r\n"
        }) {
      assertThat(raw(wrong))
          .contains("application/problem+json", "about:blank")
          .doesNotContain("Jetty", "jetty", "\tat ");
    }
  }

  @Test
  void too_many() throws Exception {
    HttpResponse<String> answer = null;
    for (int i = 0; i < 100 && (answer == null || answer.statusCode() != 429); i++) {
      answer = server.post("/api/v1/messages", "{\"route\": \"mail\", \"delay\": \"90m\"}");
    }
    assertThat(problem(answer, 429)).isEqualTo("rate-limited");
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");

    assertThat(problem(server.get("/api/v1/events"), 400)).isEqualTo("invalid-parameter");
    HttpRequest.Builder follow =
        server.request("/api/v1/events").header("Accept", "text/event-stream");
    try (InputStream first =
        HttpClient.newHttpClient()
            .send(follow.build(), HttpResponse.BodyHandlers.ofInputStream())
            .body()) {
      assertThat(first.read()).isPositive();
      assertThat(problem(server.send(follow), 429)).isEqualTo("rate-limited");
    }
  }

  @Test
  void a_fault_of_ours_is_in_the_log_and_not_in_the_answer() throws Exception {
    Javalin faulty =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  ProblemOfFailure.addTo(config.routes);
                  config.routes.get(
                      "/api/v1/fault",
                      context -> {
                        throw new IllegalArgumentException("inner words");
                      });
                })
            .start("127.0.0.1", 0);
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://127.0.0.1:" + faulty.port() + "/api/v1/fault"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(problem(answer, 500)).isEqualTo("internal");
      assertThat(answer.body()).doesNotContain("inner words").contains("incident");
    } finally {
      faulty.stop();
    }
  }

  private static String raw(String head) throws Exception {
    URI uri = URI.create(server.url());
    try (Socket socket = new Socket(uri.getHost(), uri.getPort());
        OutputStream out = socket.getOutputStream()) {
      out.write((head + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      out.flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
