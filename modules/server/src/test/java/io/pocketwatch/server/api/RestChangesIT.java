// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Changes of many messages that do not go smoothly: what was done is always told. */
class RestChangesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final int ROWS = 2_500;
  private static final Instant DUE = Instant.parse("2100-01-01T00:00:00Z");
  private static TestDatabase database;
  private static RunningServer server;

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("serve");

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.postgresql();
    server = RestServer.start(folder, database, broker, "server: {limits: {requests: 100000}}\n");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    database.close();
  }

  @BeforeEach
  void listen() {
    log.setLevel(Level.INFO);
    logged.start();
    log.addAppender(logged);
  }

  @AfterEach
  void listenNoMore() {
    log.detachAppender(logged);
    log.setLevel(null);
  }

  @Test
  void what_would_go_too_far_is_counted_and_stays() throws Exception {
    insert("far");
    server.store().insert(List.of(row("far", "never", DelayLimits.LATEST)), null);

    JsonNode moved = json(moveByADay("far", null), 200);

    assertThat(moved.at("/changed").intValue()).isEqualTo(ROWS);
    assertThat(moved.at("/tooLate").intValue()).isOne();
    assertThat(moved.get("next").isNull()).isTrue();
    assertThat(found("far", "never").deliverAt()).isEqualTo(DelayLimits.LATEST);
    assertEachIsMovedOnce("far");
    assertThat(audit()).singleElement().asString().contains("reschedule", "TOO_LATE=1");
  }

  @Test
  void a_database_that_goes_away_in_the_middle_loses_neither_count_nor_cursor() throws Exception {
    insert("cut");
    execute(
        """
        CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$
        """,
        "CREATE TRIGGER cut BEFORE UPDATE ON pocketwatch_message FOR EACH ROW"
            + " WHEN (NEW.id = 'm1500' AND NEW.business_key = 'cut') EXECUTE FUNCTION cut()");

    JsonNode first = json(moveByADay("cut", null), 200);

    assertThat(first.at("/changed").intValue()).isEqualTo(1_000);
    String next = first.get("next").textValue();
    assertThat(next).isNotNull();
    assertThat(audit()).singleElement().asString().contains("reschedule", "DONE=1000");
    assertThat(RestServer.problem(moveByADay("cut", next), 503)).isEqualTo("store-unavailable");
    execute("DROP TRIGGER cut ON pocketwatch_message", "DROP FUNCTION cut()");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> server.get("/api/v1/messages").statusCode() == 200);

    JsonNode rest = json(moveByADay("cut", next), 200);

    assertThat(rest.at("/changed").intValue()).isEqualTo(ROWS - 1_000);
    assertThat(rest.get("next").isNull()).isTrue();
    assertEachIsMovedOnce("cut");
  }

  private static java.net.http.HttpResponse<String> moveByADay(String key, String cursor) {
    return server.post(
        "/api/v1/messages/changes",
        "{\"change\": \"reschedule\", \"by\": \"1d\", \"filter\": {\"businessKey\": \"%s\"}%s}"
            .formatted(key, cursor == null ? "" : ", \"cursor\": \"" + cursor + "\""));
  }

  private List<String> audit() {
    return logged.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(each -> each.startsWith("Change: "))
        .toList();
  }

  private static void assertEachIsMovedOnce(String key) {
    List<StoredMessage> all =
        server.store().list(MessageQuery.all().businessKey(key).limit(10_000)).stream()
            .filter(each -> !each.key().id().equals("never"))
            .toList();
    assertThat(all).hasSize(ROWS).allMatch(each -> each.generation() == 2);
    assertThat(all).allMatch(each -> each.deliverAt().isAfter(DUE.plus(Duration.ofDays(1))));
    assertThat(all).allMatch(each -> each.deliverAt().isBefore(DUE.plus(Duration.ofDays(2))));
  }

  private static void insert(String key) {
    server
        .store()
        .insert(
            IntStream.range(0, ROWS)
                .mapToObj(i -> row(key, "m" + i, DUE.plusMillis(1 + i)))
                .toList(),
            null);
  }

  private static StoredMessage found(String route, String id) {
    return server.store().find(new MessageKey(route, id)).orElseThrow();
  }

  private static ScheduledMessage row(String key, String id, Instant due) {
    return new ScheduledMessage(
        new MessageKey(key, id),
        key,
        "",
        "orders",
        new byte[] {0, 0},
        new byte[] {1},
        due,
        Tracking.FULL);
  }

  private static void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
