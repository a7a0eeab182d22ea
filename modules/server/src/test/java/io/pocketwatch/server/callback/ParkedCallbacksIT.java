// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.CommandRun;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Callbacks without a row that were given up: seen everywhere, called again, deleted. */
class ParkedCallbacksIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String QUEUE = "pocketwatch.parked.parked-mail";
  private static final String REASON = "callback, given up after try 2: HTTP status 500";

  @TempDir private Path folder;
  private volatile String answer = OddTarget.BROKEN;
  private OddTarget target;
  private TestDatabase database;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    target = new OddTarget(call -> answer);
    database = TestDatabases.postgresql();
    server =
        RunningServer.start(
            folder,
            """
            routes:
              mail: {routing-key: parked-mail, retries: [100ms]}
              quiet: {routing-key: parked-quiet, retries: [100ms]}
            wheel: {max-delay: 1h, resolution: 100ms, hands: [1h, 1m, 1s, 100ms]}
            server:
              callbacks:
                mail: {url: '%1$s'}
                quiet: {url: '%1$s'}
            """
                .formatted(target.url()),
            database.url(),
            broker.amqpUri(),
            Map.of());
    for (int i = 0; i < 3; i++) {
      RunningServer.json(
          server.post("/api/v1/messages", "{\"route\": \"mail\", \"body\": 1}"), 202);
    }
    awaitParked();
  }

  private static void awaitParked() throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      await().atMost(PATIENCE).until(() -> channel.messageCount(QUEUE) == 3);
    }
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    target.close();
    database.close();
  }

  @Tag("ci")
  @Test
  void they_are_seen_everywhere_and_called_again() throws Exception {
    assertSeen();
    CommandRun list = parked("--route=mail");
    assertThat(list.exitCode()).as("%s", list).isZero();
    assertThat(list.out())
        .hasSize(4)
        .last()
        .asString()
        .contains("mail", "queue parked-mail", REASON);
    assertThat(list.err())
        .contains(
            "3 callbacks without a row, in queue '%s'. To try again: pocketwatch parked --route mail --send."
                .formatted(QUEUE));
    assertThat(parked("--json").out())
        .singleElement()
        .asString()
        .contains("\"queue\":\"" + QUEUE + "\"", "\"count\":3", REASON);
    assertThat(parked("--route=quiet").err()).contains("Nothing is parked on route quiet.");

    answer = OddTarget.GOOD;
    int calls = target.calls().size();
    CommandRun send = parked("--route=mail", "--send");
    assertThat(send.exitCode()).as("%s", send).isZero();
    assertThat(send.out()).containsExactly("3 messages sent to their targets");
    await().atMost(PATIENCE).until(() -> target.calls().size() == calls + 3);
    assertThat(target.calls().stream().skip(calls)).allMatch(call -> call.attempt() == 1);
    assertNone();
  }

  @Tag("ci")
  @Test
  void the_interface_sends_and_deletes_them() throws Exception {
    assertSeen();
    answer = OddTarget.BROKEN.replace("500", "503");
    int calls = target.calls().size();
    JsonNode again = RunningServer.json(server.post("/api/v1/parked/mail/send", "{}"), 200);
    assertThat(again.at("/sent").intValue()).isEqualTo(3);
    await().atMost(PATIENCE).until(() -> target.calls().size() == calls + 2 * 3);
    awaitParked(); // as many as before, before anybody looks, for another reason
    assertThat(groups().at("/0/count").intValue()).isEqualTo(3);
    assertThat(groups().at("/0/reason").textValue()).isEqualTo(REASON.replace("500", "503"));

    RunningServer.json(server.post("/api/v1/parked/nobody/delete", "{}"), 404);
    JsonNode gone = RunningServer.json(server.post("/api/v1/parked/mail/delete", "{}"), 200);
    assertThat(gone.at("/deleted").intValue()).isEqualTo(3);
    assertNone();
  }

  private void assertSeen() throws Exception {
    assertThat(groups().at("/0/queue").textValue()).isEqualTo(QUEUE);
    assertThat(groups().at("/0/route").textValue()).isEqualTo("mail");
    assertThat(groups().at("/0/count").intValue()).isEqualTo(3);
    assertThat(groups().at("/0/reason").textValue()).isEqualTo(REASON);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              server.lookAtDeadLetters();
              assertThat(server.get("/health").body())
                  .contains(
                      "\"callbacks-given-up\",\"params\":{\"count\":3,\"route\":\"mail\",\"queue\":\"%s\"}"
                          .formatted(QUEUE));
            });
    JsonNode first = RunningServer.json(server.get("/api/v1/parked/mail"), 200).at("/messages/0");
    assertThat(first.at("/routingKey").textValue()).isEqualTo("parked-mail");
    assertThat(first.at("/reason").textValue()).isEqualTo(REASON);
    assertThat(first.at("/bodyText").textValue()).isEqualTo("1");
    JsonNode route = RunningServer.json(server.get("/api/v1/routes/mail"), 200);
    assertThat(route.at("/parkedCallbacks/0/count").intValue()).isEqualTo(3);
    assertThat(route.at("/callback/url").textValue()).isEqualTo(target.url());
    assertThat(server.get("/metrics").body())
        .containsPattern(
            "pocketwatch_callbacks_parked_now\\{queue=\"" + QUEUE + "\",route=\"mail\"} 3.0");
    assertThat(
            RunningServer.json(server.get("/api/v1/status"), 200).at("/parkedCallbacks").intValue())
        .isEqualTo(3);
  }

  private void assertNone() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(groups()).isEmpty();
              assertThat(server.get("/health").body()).contains("\"warnings\":[]");
            });
  }

  private JsonNode groups() throws Exception {
    return RunningServer.json(server.get("/api/v1/parked"), 200).at("/callbacks");
  }

  private CommandRun parked(String... more) {
    String[] line = {
      "parked", "--config=" + folder.resolve("pocketwatch.yml"), "--broker=" + broker.amqpUri()
    };
    return CommandRun.of(Stream.of(line, more).flatMap(Stream::of).toArray(String[]::new));
  }
}
