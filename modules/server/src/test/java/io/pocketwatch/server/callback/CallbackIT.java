// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.server.callback.OddTarget.Call;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Targets that are slow, dead, broken, close mid-body or answer well: settled once, or parked. */
class CallbackIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int MESSAGES = 20;
  private static final String SECRET = "a-secret-of-callbacks";

  @TempDir private Path folder;
  private final Map<String, Integer> seen = new ConcurrentHashMap<>();
  private final List<OddTarget> targets = new ArrayList<>();
  private TestDatabase database;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabases.postgresql();
    OddTarget good = target(call -> OddTarget.GOOD);
    OddTarget silent = target(call -> OddTarget.SILENT);
    OddTarget broken = target(call -> OddTarget.BROKEN);
    OddTarget midBody = target(call -> OddTarget.MID_BODY);
    OddTarget twice = target(call -> OddTarget.GOOD + OddTarget.GOOD);
    OddTarget later =
        target(
            call -> seen.merge(call.id(), 1, Integer::sum) < 3 ? OddTarget.BROKEN : OddTarget.GOOD);
    OddTarget dead = target(call -> OddTarget.GOOD);
    dead.close();
    StringBuilder routes = new StringBuilder("routes:\n");
    StringBuilder callbacks =
        new StringBuilder("server:\n  limits: {requests: 5000}\n  callbacks:\n");
    route(routes, callbacks, "good", good, "full", ", secret: 'env:SECRET'");
    route(routes, callbacks, "silent", silent, "full", "");
    route(routes, callbacks, "broken", broken, "full", "");
    route(routes, callbacks, "mid-body", midBody, "full", "");
    route(routes, callbacks, "twice", twice, "full", "");
    route(routes, callbacks, "later", later, "full", "");
    route(routes, callbacks, "dead", dead, "full", "");
    route(routes, callbacks, "untracked", broken, "none", "");
    route(routes, callbacks, "größe 1", good, "full", ", secret: 'env:SECRET'");
    server =
        RunningServer.start(
            folder,
            routes
                + """
                wheel: {max-delay: 1h, resolution: 100ms, hands: [10m, 1m, 10s, 1s, 100ms]}
                loader: {every: 1h, lead: 1h, sweep: 200ms}
                """
                + callbacks,
            database.url(),
            broker.amqpUri(),
            Map.of("SECRET", SECRET));
  }

  private OddTarget target(Function<Call, String> answer) throws IOException {
    OddTarget target = new OddTarget(answer);
    targets.add(target);
    return target;
  }

  private static void route(
      StringBuilder routes,
      StringBuilder callbacks,
      String name,
      OddTarget target,
      String tracking,
      String more) {
    routes.append(
        "  '%s': {routing-key: 'call-%s', tracking: %s, retries: [200ms, 400ms]}\n"
            .formatted(name, name, tracking));
    callbacks.append(
        "    '%s': {url: '%s', timeout: %s, concurrency: 4, rate: 1000%s}\n"
            .formatted(name, target.url(), name.equals("silent") ? "500ms" : "20s", more));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    targets.forEach(OddTarget::close);
    database.close();
  }

  @Test
  void each_call_is_settled_once_or_parked() throws Exception {
    List<String> settled = List.of("good", "twice", "later");
    List<String> parked = List.of("silent", "broken", "mid-body", "dead");
    for (int i = 0; i < MESSAGES; i++) {
      for (String route : settled) {
        schedule(route, i);
      }
      for (String route : parked) {
        schedule(route, i);
      }
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              for (String route : settled) {
                assertStates(route, MessageState.SETTLED);
              }
              for (String route : parked) {
                assertStates(route, MessageState.PARKED);
              }
            });

    assertThat(reason("broken")).isEqualTo("callback, given up after try 3: HTTP status 500");
    assertThat(reason("silent"))
        .isEqualTo("callback, given up after try 3: no answer within 500ms");
    assertThat(reason("mid-body")).startsWith("callback, given up after try 3: no answer: ");
    assertThat(reason("dead")).startsWith("callback, given up after try 3: no answer: ");
    assertThat(calls(0)).extracting(Call::attempt).containsOnly(1).hasSize(MESSAGES);
    assertThat(calls(4)).extracting(Call::id).doesNotHaveDuplicates().hasSize(MESSAGES);
    assertThat(calls(2)).hasSize(3 * MESSAGES);
    assertThat(calls(5)).hasSize(3 * MESSAGES);
    Call call = calls(0).get(0);
    assertThat(call.headers())
        .containsEntry("pocketwatch-route", "good")
        .containsEntry("content-type", "application/json")
        .containsEntry("pocketwatch-signature", signature(call, call.body()));
  }

  private static String signature(Call call, String body) {
    return HttpTarget.signature(
        new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"),
        call.headers().get("pocketwatch-timestamp"),
        call.id(),
        body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void names_that_no_header_can_hold_are_percent_encoded() throws Exception {
    MessageKey key = new MessageKey("größe 1", " 100 %, 订单");
    RunningServer.json(
        server.post(
            "/api/v1/messages",
            "{\"route\": \"%s\", \"id\": \"%s\", \"body\": 1}".formatted(key.route(), key.id())),
        201);

    await()
        .atMost(PATIENCE)
        .until(() -> server.store().find(key).orElseThrow().state() == MessageState.SETTLED);
    assertThat(calls(0)).singleElement();
    Call call = calls(0).get(0);
    assertThat(call.headers())
        .containsEntry("pocketwatch-id", "%20100%20%25,%20%E8%AE%A2%E5%8D%95")
        .containsEntry("pocketwatch-route", "gr%C3%B6%C3%9Fe%201")
        .containsEntry("pocketwatch-signature", signature(call, "1"));
  }

  @Test
  void what_has_no_row_is_parked_in_a_queue() throws Exception {
    RunningServer.json(
        server.post("/api/v1/messages", "{\"route\": \"untracked\", \"body\": 1}"), 202);

    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      GetResponse kept =
          await()
              .atMost(PATIENCE)
              .until(
                  () -> channel.basicGet("pocketwatch.parked.call-untracked", true),
                  response -> response != null);
      assertThat(kept.getProps().getHeaders().get("pocketwatch-parked"))
          .hasToString("callback, given up after try 3: HTTP status 500");
      assertThat(kept.getBody()).isEqualTo("1".getBytes(StandardCharsets.UTF_8));
    }
  }

  private void schedule(String route, int number) throws IOException {
    RunningServer.json(
        server.post(
            "/api/v1/messages",
            "{\"route\": \"%s\", \"delay\": \"300ms\", \"id\": \"%s-%s\", \"body\": {\"n\": %s}}"
                .formatted(route, route, number, number)),
        201);
  }

  private void assertStates(String route, MessageState state) {
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(find(route, i).state()).as(route + i).isEqualTo(state);
    }
  }

  private String reason(String route) {
    return find(route, 0).reason();
  }

  private StoredMessage find(String route, int number) {
    return server.store().find(new MessageKey(route, route + "-" + number)).orElseThrow();
  }

  private List<Call> calls(int target) {
    return List.copyOf(targets.get(target).calls());
  }
}
