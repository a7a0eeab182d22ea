// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What each change answers, by the table in the OpenAPI document, and when it is repeated. */
class ChangeAnswersIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final Instant DUE = Instant.parse("2100-01-01T00:00:00Z");
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String CHANGES = "/api/v1/messages/changes";
  private static final Map<String, Consumer<MessageKey>> MESSAGES =
      Map.of(
          "is `waiting`, `due` or `retrying`",
          key -> insert(key, Tracking.FULL),
          "is `sent`",
          key -> sent(key, Tracking.FULL),
          "is `being-handled`",
          ChangeAnswersIT::begun,
          "is `failed` or `parked`",
          key -> Handlings.of(server().store()).fail(begun(key), "no stock"),
          "is `settled`",
          key -> Handlings.of(server().store()).settle(begun(key)),
          "is `cancelled`",
          key -> {
            insert(key, Tracking.FULL);
            server().store().cancel(key);
          },
          "has no row",
          key -> {},
          "has `tracking: handoff`, and the broker may have it",
          key -> sent(key, Tracking.HANDOFF));

  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.postgresql();
    server = RestServer.start(folder, database, broker, "");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @Test
  void the_table_tells_the_truth() throws Exception {
    List<String[]> table =
        server
            .get("/api/v1/openapi.yaml")
            .body()
            .lines()
            .map(String::strip)
            .dropWhile(line -> !line.startsWith("| The message |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .map(line -> line.substring(1).strip().split(" *\\| *"))
            .toList();
    assertThat(table).extracting(row -> row[0]).containsExactlyInAnyOrderElementsOf(words());
    for (String[] row : table) {
      assertThat(row).as(Arrays.toString(row)).hasSize(4);
      assertAnswer(row, "cancel", "", row[1]);
      assertAnswer(row, "reschedule", "{\"deliverAt\": \"2101-01-01T00:00:00Z\"}", row[2]);
      assertAnswer(row, "send-now", "", row[2]);
      assertAnswer(row, "retry", "", row[3]);
    }
  }

  private static List<String> words() {
    return List.copyOf(MESSAGES.keySet());
  }

  private static void assertAnswer(String[] row, String change, String body, String cell)
      throws Exception {
    MessageKey key = new MessageKey("table-" + change, row[0]);
    MESSAGES.get(row[0]).accept(key);
    HttpResponse<String> answer = post(key, change, body);
    String got =
        answer.statusCode() == 200
            ? json(answer, 200).get("outcome").textValue()
            : RestServer.problem(answer, answer.statusCode());
    assertThat(got)
        .as("%s of one that %s", change, row[0])
        .isEqualTo(cell.startsWith("done") ? ChangeOutcome.DONE.name() : cell.replaceAll("`", ""));
  }

  @Test
  void a_cancel_may_be_repeated_in_every_way() throws Exception {
    MessageKey key = new MessageKey("again", "a");
    insert(key, Tracking.FULL);
    String named =
        "{\"change\": \"cancel\", \"messages\": [{\"route\": \"again\", \"id\": \"a\"}]}";
    String filter = "{\"change\": \"cancel\", \"filter\": {\"businessKey\": \"again\"}}";

    assertThat(json(server.post(CHANGES, filter), 200).get("changed").intValue()).isOne();

    assertThat(json(server.post(CHANGES, filter), 200).toString())
        .as("nothing of it is left")
        .contains("\"changed\":0", "\"tooLate\":0", "\"beingHandled\":0", "\"next\":null");
    assertThat(json(server.post(CHANGES, named), 200).at("/outcomes/0/outcome").textValue())
        .isEqualTo("DONE");
    assertThat(json(post(key, "cancel", ""), 200).at("/message/state").textValue())
        .isEqualTo("CANCELLED");
  }

  @Test
  void a_move_to_one_instant_may_be_repeated() throws Exception {
    MessageKey key = new MessageKey("moved", "a");
    insert(key, Tracking.HANDOFF);
    String to = "{\"deliverAt\": \"2101-01-01T00:00:00Z\"}";
    json(post(key, "reschedule", to), 200);
    claimAndSend(key);

    assertThat(json(post(key, "reschedule", to), 200).at("/message/state").textValue())
        .as("where the broker holds it")
        .isEqualTo("HELD");
    assertThat(
            RestServer.problem(
                post(key, "reschedule", "{\"deliverAt\": \"2101-01-01T00:00:01Z\"}"), 409))
        .isEqualTo("too-late");
  }

  private static HttpResponse<String> post(MessageKey key, String change, String body) {
    String path = "/api/v1/messages/%s/%s/".formatted(key.route(), encoded(key.id()));
    return server.post(path + change, body);
  }

  private static String encoded(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static RunningServer server() {
    return server;
  }

  private static void insert(MessageKey key, Tracking tracking) {
    ScheduledMessage message =
        new ScheduledMessage(
            key, key.route(), "", "orders", new byte[] {0, 0}, new byte[] {1}, DUE, tracking);
    server.store().insert(List.of(message), null);
  }

  private static Handling begun(MessageKey key) {
    insert(key, Tracking.FULL);
    return Handlings.of(server.store()).begin(key, 1, "a-consumer", LONG).handling();
  }

  private static void sent(MessageKey key, Tracking tracking) {
    insert(key, tracking);
    claimAndSend(key);
  }

  private static void claimAndSend(MessageKey key) {
    Instant all = DUE.plus(Duration.ofDays(1_000));
    Claim claim =
        server
            .store()
            .claim(
                new ClaimRequest(
                    key.route(), all, 1_000, Long.MAX_VALUE, new Lease("a-loader", LONG)))
            .stream()
            .filter(each -> each.message().key().equals(key))
            .findFirst()
            .orElseThrow();
    server.store().conclude(List.of(Conclusion.sent(claim, all)));
  }
}
