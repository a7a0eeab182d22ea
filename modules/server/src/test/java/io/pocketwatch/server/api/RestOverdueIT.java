// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Nobody consumes, a target is gone: what is late is told wherever somebody may look. */
class RestOverdueIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private TestDatabase database;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabases.postgresql();
    server = RestServer.start(folder, database, broker, "");
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    database.close();
  }

  @Tag("ci")
  @Test
  void what_is_overdue_is_told_everywhere() throws Exception {
    deleteQueue("mail");
    Instant late = Instant.now().minusSeconds(300);
    for (String id : List.of("a", "b", "c")) {
      schedule("orders", id, late);
    }
    schedule("orders", "later", Instant.now().plusSeconds(3_600));
    schedule("mail", "m", late); // of a target that is gone
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              JsonNode overdue = get("/api/v1/status").at("/overdue");
              assertThat(overdue.at("/phases/sent").intValue()).isEqualTo(3);
              assertThat(overdue.at("/phases/due").intValue()).isEqualTo(1);
              assertThat(overdue.at("/phases/retrying").intValue()).isZero();
              assertThat(overdue.at("/count").intValue()).isEqualTo(4);
              assertThat(overdue.at("/oldestSeconds").intValue()).isBetween(300, 400);
            });

    JsonNode health = get("/health");
    assertThat(StreamSupport.stream(health.at("/warnings").spliterator(), false))
        .extracting(each -> each.at("/code").textValue() + " " + each.at("/params/route").asText())
        .contains("overdue orders", "overdue mail");
    assertThat(health.at("/overdue/count").intValue()).isEqualTo(4);
    assertThat(get("/api/v1/routes").at("/routes/0/overdue/phases/sent").intValue()).isEqualTo(3);
    assertThat(get("/api/v1/counts/states").at("/overdue/mail/phases/due").intValue()).isOne();
    assertThat(get("/api/v1/counts/due").at("/overdue/orders").intValue()).isEqualTo(3);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(server.get("/metrics").body())
                    .containsPattern(
                        "pocketwatch_overdue_messages\\{phase=\"sent\",route=\"orders\"} 3.0")
                    .containsPattern(
                        "pocketwatch_overdue_oldest_seconds\\{phase=\"due\",route=\"mail\"} 3"));

    assertThat(pagesOfOne("/api/v1/messages?overdue=true&limit=1"))
        .containsExactly("m", "a", "b", "c");
    assertThat(pagesOfOne("/api/v1/messages?overdue=true&limit=1&state=PARKED")).isEmpty();
    MessageKey handled = new MessageKey("orders", "b");
    Handling handling = new Handling(handled, "billing", "t");
    server.store().begin(List.of(new Beginning(handling, 1)), Duration.ofMinutes(1));
    JsonNode b = get("/api/v1/messages/orders/b");
    assertThat(b.at("/phase").textValue()).isEqualTo("being-handled");
    assertThat(b.at("/consumer").textValue()).isEqualTo("billing");
    JsonNode a = get("/api/v1/messages?id=a").at("/items/0");
    assertThat(a.at("/phase").textValue()).isEqualTo("sent");
    assertThat(a.at("/holder").textValue()).isEqualTo("queue");
    JsonNode m = get("/api/v1/messages/mail/m");
    assertThat(m.at("/phase").textValue()).isEqualTo("due");
    assertThat(m.at("/overdue").booleanValue()).isTrue();
    assertThat(get("/api/v1/messages/orders/later").at("/phase").textValue()).isEqualTo("waiting");
    assertThat(RestServer.problem(server.get("/api/v1/messages?overdue=yes"), 400))
        .isEqualTo("invalid-parameter");
    JsonNode counted =
        json(
            server.post(
                "/api/v1/messages/changes",
                "{\"change\": \"cancel\", \"dryRun\": true, \"filter\": {\"route\": \"orders\","
                    + " \"overdue\": true}}"),
            200);
    assertThat(counted.at("/matching").intValue()).isEqualTo(3);
  }

  private List<String> pagesOfOne(String path) throws Exception {
    List<String> ids = new ArrayList<>();
    JsonNode page = get(path);
    while (page.at("/items").size() > 0) {
      ids.add(page.at("/items/0/id").textValue());
      page = get(path + "&cursor=" + page.at("/next").textValue());
    }
    return ids;
  }

  private void schedule(String route, String id, Instant deliverAt) throws Exception {
    String message =
        "{\"route\": \"%s\", \"id\": \"%s\", \"deliverAt\": \"%s\", \"body\": 1}"
            .formatted(route, id, deliverAt);
    json(server.post("/api/v1/messages", message), 201);
  }

  private static void deleteQueue(String name) throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDelete(name);
    }
  }

  private JsonNode get(String path) throws Exception {
    return json(server.get(path), 200);
  }
}
