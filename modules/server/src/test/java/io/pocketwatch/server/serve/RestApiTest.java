// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.server.api.Backend;
import io.pocketwatch.server.api.RestApi;
import io.pocketwatch.server.config.Credential;
import io.pocketwatch.server.config.HttpLimits;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.config.SecretReference;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The interface before a store that does not answer. */
@Timeout(60)
class RestApiTest {
  /** They need a body, and change nothing. */
  private static final Set<String> HARMLESS = Set.of("POST /api/v1/schedules/preview");

  private final CountDownLatch storeAnswers = new CountDownLatch(1);
  private final Semaphore hanging = new Semaphore(0);
  private final HttpClient http = HttpClient.newHttpClient();
  private JavalinConfig configured;
  private Pages pages;

  /** Every call hangs but that which a change needs to be noted. */
  private final DelayStore store =
      standIn(
          DelayStore.class,
          (self, method, arguments) -> {
            if (method.getName().equals("cancel")) {
              return ChangeOutcome.DONE;
            }
            hanging.release();
            storeAnswers.await();
            throw new StoreException("the test is over");
          });

  private final TrackedPublisher publisher =
      standIn(TrackedPublisher.class, (self, method, arguments) -> store);

  private final Backend backend =
      standIn(
          Backend.class,
          (self, method, arguments) ->
              switch (method.getName()) {
                case "store" -> store;
                case "publisher" -> publisher;
                case "routes" -> DelayRoutes.builder().build();
                case "meters" -> new SimpleMeterRegistry();
                case "health" -> HealthTest.well();
                case "silence" -> new Backend.Silence(Duration.ZERO, Duration.ZERO);
                default -> throw new UnsupportedOperationException(method.getName());
              });

  private static <T> T standIn(Class<T> type, InvocationHandler answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
  }

  private void open(List<Credential> credentials, Map<String, String> environment) {
    ServerSettings settings =
        new ServerSettings(
            "serve", "127.0.0.1", 0, true, credentials, false, HttpLimits.defaults(), List.of());
    HttpPart listing = config -> configured = config;
    pages =
        Pages.open(
            settings, List.of(new RestApi(backend, List::of, settings, environment), listing));
  }

  @AfterEach
  void close() {
    storeAnswers.countDown();
    pages.close();
  }

  @Test
  void a_reader_changes_nothing_by_any_route() throws Exception {
    open(
        List.of(
            new Credential(
                "reader",
                Role.READ,
                true,
                new SecretReference("credentials", "env:READER"),
                Set.of())),
        Map.of("READER", "token-of-reader"));
    List<String> changing =
        configured.unsafe.internalRouter.allHttpHandlers().stream()
            .map(each -> each.endpoint)
            .filter(each -> each.method.isHttpMethod() && !each.method.equals(HandlerType.GET))
            .flatMap(each -> requests(each.method + " " + each.path))
            .distinct()
            .filter(each -> !HARMLESS.contains(each))
            .toList();

    assertThat(changing)
        .hasSizeGreaterThan(15)
        .contains("PUT /api/v1/schedules/preview", "DELETE /api/v1/schedules/preview");
    for (String each : changing) {
      String[] line = each.split(" ");
      assertThat(ask(line[0], line[1], "{}").statusCode()).as(each).isEqualTo(403);
    }
    for (String each : HARMLESS) {
      String[] line = each.split(" ");
      assertThat(ask(line[0], line[1], "{}").statusCode()).as(each).isEqualTo(400);
    }
  }

  /** With a name of any kind, and with the last word of each path that anybody may use. */
  private static Stream<String> requests(String line) {
    return Stream.concat(Stream.of("x"), HARMLESS.stream().map(each -> each.replaceAll(".*/", "")))
        .map(name -> line.replaceAll("\\{\\w+}", name));
  }

  @Test
  void a_page_is_told_whether_there_are_tokens_and_no_browser_asks_by_itself() throws Exception {
    for (boolean token : new boolean[] {true, false}) {
      SecretReference secret = new SecretReference("credentials", "env:OPS");
      open(
          List.of(new Credential("ops", Role.WRITE, token, secret, Set.of())),
          Map.of("OPS", "secret-of-operations"));
      HttpRequest.Builder page =
          HttpRequest.newBuilder(URI.create(pages.url() + "/api/v1/session"))
              .header("X-Requested-With", "XMLHttpRequest");
      HttpResponse<String> answer = http.send(page.build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.headers().firstValue("WWW-Authenticate"))
          .hasValue((token ? "Bearer" : "xBasic") + " realm=\"pocketwatch\"");
      pages.close();
    }
  }

  @Test
  void events_go_on_while_the_store_hangs() throws Exception {
    open(List.of(), Map.of());
    String cancel =
        "{\"change\": \"cancel\", \"messages\": [{\"route\": \"orders\", \"id\": \"a\"}]}";
    assertThat(ask("POST", "/api/v1/messages/changes", cancel).statusCode()).isEqualTo(200);
    hanging.acquire(3); // the counts, the series, and what notes the change

    HttpURLConnection follow =
        (HttpURLConnection) URI.create(pages.url() + "/api/v1/events").toURL().openConnection();
    follow.setRequestProperty("Accept", "text/event-stream");
    follow.setReadTimeout(20_000);
    try (BufferedReader events =
        new BufferedReader(
            new InputStreamReader(follow.getInputStream(), StandardCharsets.UTF_8))) {
      for (int seen = 0; seen < 3; ) { // the first is sent by who answers the request
        seen += events.readLine().startsWith("data:") ? 1 : 0;
      }
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(pages.url() + path))
        .header("Authorization", "Bearer token-of-reader")
        .header("Content-Type", "application/json");
  }

  private HttpResponse<String> ask(String method, String path, String body) throws Exception {
    return http.send(
        request(path).method(method, BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }
}
