// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The verbs on messages that a publisher stored, one and the same publisher for all tests. */
@Tag("wide")
class StoreVerbsIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final Instant DUE = Instant.parse("2999-01-31T08:00:00Z");

  @TempDir private static Path folder;

  private TestDatabase database;
  private OpenStore open;
  private Path config;

  @BeforeEach
  void scheduleThree() throws Exception {
    database = TestDatabases.h2();
    config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            """
            pocketwatch:
              routes:
                orders: {routing-key: orders, tracking: full}
                mail: {routing-key: mail, tracking: handoff}
              wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
              store: {url: '%s'}
            """
                .formatted(database.url()));
    open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, Map.of());
      channel.queueDeclare("mail", true, false, false, Map.of());
    }
    try (TrackedPublisher publisher =
        DelayedPublisher.builder(broker.connectionFactory())
            .routes(DelayRoutes.load(config))
            .build(TrackedPublisher.with(open.store()))) {
      schedule(publisher, "orders", "a", "order-7", DUE);
      schedule(publisher, "orders", "b", "order-8", DUE.plusSeconds(60));
      schedule(publisher, "mail", "c", "order-7", DUE.plusSeconds(120));
    }
  }

  private static void schedule(
      TrackedPublisher publisher, String queue, String id, String businessKey, Instant due)
      throws Exception {
    DelayedMessage message =
        DelayedMessage.toQueue(queue).id(id).businessKey(businessKey).body(id).deliverAt(due);
    assertThat(publisher.publish(message).get(30, TimeUnit.SECONDS).confirmed()).isTrue();
  }

  @AfterEach
  void close() throws Exception {
    open.close();
    database.close();
  }

  @Test
  void list_selects_and_counts() throws Exception {
    CommandRun all = run("list", "--limit=2");
    assertThat(all.out()).hasSize(3);
    assertThat(all.out().get(1))
        .contains("2999-01-31T08:00:00Z", "PENDING", "orders", "queue orders");
    assertThat(all.err()).containsExactly("The first 2 of 3 messages; --limit shows more.");

    JsonNode json =
        json(
            run(
                "list",
                "--business-key=order-7",
                "--state=pending,held",
                "--route=mail",
                "--json"));
    assertThat(json.get("matching").intValue()).isEqualTo(1);
    assertThat(json.at("/messages/0/id").textValue()).isEqualTo("c");
    assertThat(json.at("/messages/0/tracking").textValue()).isEqualTo("handoff");

    assertThat(run("list", "--due-until=2999-01-31").err()).containsExactly("No message matches.");
    assertThat(run("list", "--due-from=2999-01-31T08:01", "--due-until=2999-02-01").out())
        .hasSize(3);
  }

  @Test
  void what_is_overdue_is_listed_and_said_what_it_is_doing() throws Exception {
    assertThat(run("list", "--overdue").err()).containsExactly("No message matches.");
    Instant late = Instant.now().minusSeconds(300);
    ScheduledMessage row =
        new ScheduledMessage(
            new MessageKey("orders", "late"),
            null,
            "",
            "orders",
            new byte[] {0, 0},
            new byte[0],
            late,
            Tracking.FULL);
    open.store().insert(List.of(row), null);

    CommandRun list = run("list", "--overdue");
    assertThat(list.out()).hasSize(2);
    assertThat(list.out().get(1)).contains("5 min ago", "PENDING  due  ", "late");
    JsonNode json = json(run("list", "--overdue", "--json"));
    assertThat(json.at("/messages/0/phase").textValue()).isEqualTo("due");
    assertThat(json.at("/messages/0/holder").textValue()).isEqualTo("store");
    assertThat(json.at("/messages/0/overdue").booleanValue()).isTrue();
    assertThat(run("show", "orders", "a").out()).anyMatch(line -> line.matches("phase +waiting"));
  }

  @Test
  void one_message_is_shown_whole() throws Exception {
    CommandRun text = run("show", "orders", "a");
    assertThat(text.exitCode()).isZero();
    assertThat(text.out())
        .anyMatch(line -> line.matches("state +PENDING"))
        .anyMatch(line -> line.matches("business key +order-7"))
        .anyMatch(line -> line.matches("target +queue orders"))
        .anyMatch(line -> line.matches("  scheduled +\\S+ .+, due .+"))
        .endsWith("body, 1 bytes", "a");

    JsonNode json = json(run("show", "mail", "c", "--json"));
    assertThat(json.get("id").textValue()).isEqualTo("c");
    assertThat(json.get("bodyText").textValue()).isEqualTo("c");
    assertThat(json.get("headers").isObject()).isTrue();
    assertThat(json.at("/life/0/what").textValue()).isEqualTo("scheduled");

    CommandRun none = run("show", "orders", "c");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).singleElement().asString().contains("no message orders/c");

    CommandRun byId = run("list", "--id=c");
    assertThat(byId.out()).hasSize(2);
    assertThat(byId.out().get(1)).contains("mail", "order-7");
    assertThat(run("list", "--id=c", "--state=parked").out()).isEmpty();
  }

  @Test
  void what_others_named_does_nothing_to_the_terminal() throws Exception {
    String hostile = "\u001b[31mRED\u001b]0;pwned\u0007\r\n\u202etxt" + "x".repeat(150) + "END";
    ScheduledMessage message =
        new ScheduledMessage(
            new MessageKey("orders", hostile),
            hostile,
            "",
            "orders\u009b2J",
            new byte[] {0, 0},
            hostile.getBytes(StandardCharsets.UTF_8),
            DUE.minusSeconds(1),
            Tracking.FULL);
    open.store().insert(List.of(message), null);

    List<String> table = run("list").out();
    assertThat(table).hasSize(5);
    assertThat(table.get(1)).startsWith("2999-01-31T07:59:59Z").contains("\\u001b[31mRED", "xEND");
    assertThat(table).allSatisfy(line -> assertThat(line).hasSizeLessThan(180));
    for (CommandRun run :
        List.of(
            run("list"),
            run("list", "--json"),
            run("show", "orders", hostile),
            run("show", "orders", hostile, "--json"),
            run("cancel", "orders", hostile),
            run("cancel", "orders", hostile + "2"),
            run("cancel", "--business-key=" + hostile + "2"))) {
      assertThat(Stream.concat(run.out().stream(), run.err().stream()))
          .as("%s", run)
          .isNotEmpty()
          .noneMatch(line -> line.matches(".*[\\p{Cc}\\p{Cf}].*"));
    }
    assertThat(json(run("list", "--id=" + hostile, "--json")).at("/messages/0/id").textValue())
        .isEqualTo(hostile);
  }

  @Test
  void cancel_one_then_again_then_all_of_a_business_key() throws Exception {
    assertThat(run("cancel", "orders", "b").out())
        .containsExactly("Cancelled: orders/b, which was due 2999-01-31T08:01:00Z.");
    assertThat(
            json(run("list", "--state=cancelled", "--json"))
                .at("/messages/0/changedBy")
                .textValue())
        .isEqualTo("cli:" + System.getProperty("user.name"));
    CommandRun again = run("cancel", "orders", "b");
    assertThat(again.exitCode()).isZero();
    assertThat(again.out())
        .containsExactly("Cancelled: orders/b, which was due 2999-01-31T08:01:00Z.");
    CommandRun moved = run("reschedule", "orders", "b", "--in=1h");
    assertThat(moved.exitCode()).isEqualTo(1);
    assertThat(moved.out()).singleElement().asString().contains("too late: orders/b was cancelled");

    CommandRun dry = run("cancel", "--business-key=order-7", "--dry-run");
    assertThat(dry.out()).containsExactly("2 messages would be cancelled.");
    JsonNode json = json(run("cancel", "--business-key=order-7", "--json"));
    assertThat(json.get("changed").intValue()).isEqualTo(2);
    CommandRun repeated = run("cancel", "--business-key=order-7");
    assertThat(repeated.exitCode()).isZero();
    assertThat(repeated.out()).containsExactly("0 messages cancelled; 2 cancelled before.");
    CommandRun none = run("cancel", "--business-key=order-9");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.out()).containsExactly("0 messages cancelled.");
  }

  @Test
  void reschedule_to_a_time_but_to_the_past_only_on_purpose() {
    assertThat(run("reschedule", "orders", "a", "--to=3000-01-01").out())
        .containsExactly("Rescheduled: orders/a is now due 3000-01-01T00:00:00Z.");

    CommandRun past = run("reschedule", "orders", "a", "--to=2020-01-01");
    assertThat(past.exitCode()).isEqualTo(2);
    assertThat(past.err().get(0)).contains("2020-01-01T00:00:00Z has passed", "--now");
    for (String late : new String[] {"--to=+10000-01-01T00:00:00Z", "--in=9999999999d"}) {
      CommandRun far = run("reschedule", "orders", "a", late);
      assertThat(far.exitCode()).as("%s", far).isEqualTo(2);
      assertThat(far.err().get(0)).contains("9999-12-31T23:59:59.999Z");
    }
    assertThat(run("reschedule", "orders", "a", "--now").exitCode()).isZero();
    assertThat(run("reschedule", "orders", "zzz", "--in=1h").exitCode()).isEqualTo(1);
  }

  @Test
  void those_of_a_filter_move_together_and_each_once() throws Exception {
    CommandRun moved =
        run("reschedule", "--business-key=order-7", "--due-until=2999-02-01", "--by=1h");
    assertThat(moved.out()).containsExactly("2 messages rescheduled.");
    assertThat(json(run("show", "orders", "a", "--json")).get("deliverAt").textValue())
        .isEqualTo("2999-01-31T09:00:00Z");
    assertThat(run("reschedule", "--route=orders", "--state=held", "--by=-1h").exitCode())
        .isEqualTo(1);
    assertThat(run("reschedule", "--route=orders", "--by=-2h").out())
        .containsExactly("2 messages rescheduled.");
    CommandRun far = run("reschedule", "--route=orders", "--by=99999d");
    assertThat(far.exitCode()).isEqualTo(2);
    assertThat(far.err().get(0)).contains("36525 days");
  }

  @Test
  void parked_and_retried() throws Exception {
    assertThat(run("parked").err()).containsExactly("Nothing is parked.");
    ClaimRequest request =
        new ClaimRequest("orders", DUE, 10, 1_000_000, new Lease("test", Duration.ofMinutes(1)));
    Claim claim = open.store().claim(request).get(0);
    assertThat(open.store().conclude(List.of(Conclusion.park(claim, "its body is too large"))))
        .containsExactly(Ended.APPLIED);

    CommandRun parked = run("parked");
    assertThat(parked.out()).hasSize(2);
    assertThat(parked.out().get(0)).contains("failed sends").doesNotContain("attempts");
    assertThat(parked.out().get(1)).contains("orders", "a", " -  ", "its body is too large");

    CommandRun released = run("retry", "--all", "--route=orders");
    assertThat(released.exitCode()).isZero();
    assertThat(released.err()).containsExactly("1 message matches.");
    assertThat(released.out()).containsExactly("1 message retried.");
    assertThat(open.store().find(claim.key()).orElseThrow().state())
        .isEqualTo(MessageState.PENDING);
    assertThat(run("retry", "--all").out()).containsExactly("0 messages retried.");
  }

  @Test
  void schedules_are_seen_paused_run_and_filled_in() throws Exception {
    assertThat(run("schedules").err()).containsExactly("There are no schedules.");
    Schedules schedules = Schedules.of(open.store(), DelayRoutes.load(config));
    schedules.put(
        Schedule.named("report").route("orders").cron("0 9 * * MON-FRI").body("x").build(), "me");

    CommandRun table = run("schedules");
    assertThat(table.out()).hasSize(2);
    assertThat(table.out().get(1)).contains("report", "active", "0 9 * * MON-FRI", "UTC");
    assertThat(json(run("schedules", "--json")).at("/schedules/0/changedBy").textValue())
        .isEqualTo("me");

    assertThat(run("schedules", "pause", "report", "--note=moving house").out())
        .containsExactly("Paused: report.");
    CommandRun shown = run("schedules", "show", "report");
    assertThat(shown.out())
        .anyMatch(line -> line.matches("state +paused"))
        .anyMatch(line -> line.matches("note +moving house"))
        .anyMatch(line -> line.startsWith("next "));
    assertThat(run("schedules", "pause", "report", "--until=2020-01-01").exitCode()).isEqualTo(2);
    assertThat(run("schedules", "resume", "report").out().get(0))
        .startsWith("Resumed: report, next at ");

    assertThat(run("schedules", "run", "report", "--id=k").out())
        .containsExactly("Due now: orders/report@run-k.");
    assertThat(run("schedules", "run", "report", "--id=k").out())
        .containsExactly("Was sent before: orders/report@run-k.");
    JsonNode json = json(run("schedules", "show", "report", "--json"));
    assertThat(json.at("/past")).hasSize(1);
    assertThat(json.at("/next")).hasSize(10);

    assertThat(run("schedules", "remove", "report").out()).containsExactly("Removed: report.");
    CommandRun gone = run("schedules", "show", "report");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).containsExactly("There is no schedule 'report'.");
    assertThat(run("schedules", "resume", "report").exitCode()).isEqualTo(1);
  }

  @Test
  void load_hands_over_what_is_due() throws Exception {
    assertThat(run("reschedule", "orders", "a", "--now").exitCode()).isZero();
    assertThat(run("reschedule", "mail", "c", "--now").exitCode()).isZero();

    CommandRun load = run("load", "--json", "--broker=" + broker.amqpUri());
    assertThat(load.exitCode()).as("%s", load).isZero();
    assertThat(json(load).get("loaded").intValue()).isEqualTo(2);
    assertThat(load.err()).anyMatch(line -> line.startsWith("2 messages handed to the broker"));
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(new String(channel.basicGet("mail", true).getBody())).isEqualTo("c");
    }
  }

  private CommandRun run(String... arguments) {
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--config=" + config;
    return CommandRun.of(all);
  }

  private static JsonNode json(CommandRun run) throws Exception {
    return new ObjectMapper().readTree(run.lastOut());
  }
}
