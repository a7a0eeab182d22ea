// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code docker/compose.yml} for real: it comes up healthy, and its server delivers what is in its
 * database. Only where Docker answers and has the images: this test pulls nothing.
 */
class StackIT {
  private static final List<String> IMAGES =
      List.of("rabbitmq:4.3-management", "postgres:17", "eclipse-temurin:21-jre");
  private static final List<Path> JARS =
      List.of(
          Path.of("../server/target/pocketwatch.jar"),
          Path.of("../lab/target/pocketwatch-lab.jar"));
  private static final Path CONFIGURATION = ComposeFile.FOLDER.resolve("config/pocketwatch.yml");
  private static final List<String> ONLY_ONCE_IT_HAPPENS =
      List.of(
          "pocketwatch_callbacks_parked_now",
          "pocketwatch_consumer_stopped_total",
          "pocketwatch_deferred_total",
          "pocketwatch_delivery_time_clock_offset_seconds",
          "pocketwatch_delivery_time_usable",
          "pocketwatch_held_again_total",
          "pocketwatch_lateness_seconds",
          "pocketwatch_lateness_seconds_count",
          "pocketwatch_lateness_seconds_max",
          "pocketwatch_lateness_seconds_sum",
          "pocketwatch_overdue_messages",
          "pocketwatch_overtaken_total",
          "pocketwatch_parked_total",
          "pocketwatch_other_consumer_total",
          "pocketwatch_returned_total",
          "pocketwatch_sent_total",
          "pocketwatch_settled_total",
          "pocketwatch_skipped_total",
          "pocketwatch_store_unreachable_total",
          "pocketwatch_target_missing_total",
          "pocketwatch_unknown_total",
          "pocketwatch_published_total",
          "pocketwatch_failed_total",
          "pocketwatch_schedule_late",
          "pocketwatch_schedule_lag_seconds",
          "pocketwatch_schedule_fired_total",
          "pocketwatch_schedule_missed_total",
          "pocketwatch_schedule_skipped_total");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration DELAY = Duration.ofSeconds(10);

  private static RunningStack stack;
  private static Optional<String> missing = Optional.empty();

  @BeforeAll
  static void up() throws Exception {
    missing =
        JARS.stream().allMatch(Files::exists)
            ? Docker.missing(IMAGES)
            : Optional.of(JARS + " are not built");
    if (missing.isPresent()) {
      System.err.println("docker/compose.yml IS NOT STARTED: " + missing.get());
      return;
    }
    stack = new RunningStack();
    Docker.Result result = stack.up();
    assertThat(result.ok()).as(() -> result.output() + logs()).isTrue();
  }

  /** Not before all: a report counts tests that are skipped, not classes. */
  @BeforeEach
  void skipWithoutDocker() {
    Assumptions.assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
  }

  @AfterAll
  static void down() throws Exception {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void the_server_is_up_and_not_root() throws Exception {
    assertThat(stack.get("/health").statusCode()).isEqualTo(200);
    Docker.Result who = stack.compose(PATIENCE, "exec", "-T", "pocketwatch", "id", "-u");
    assertThat(who.output().strip()).isEqualTo("10001");
  }

  /** The row is nobody's but the server's loader's: no publisher hands it over. */
  @Test
  void a_stored_message_arrives_in_time() throws Exception {
    try (Connection connection = stack.broker().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("orders", "topic", true);
      channel.queueDeclare("order-timeouts", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueBind("order-timeouts", "orders", "order.timeout");
      ScheduledMessage row = store();

      GetResponse arrived =
          await()
              .atMost(PATIENCE)
              .until(() -> channel.basicGet("order-timeouts", true), Objects::nonNull);

      assertThat(Instant.now()).isAfterOrEqualTo(row.deliverAt());
      assertThat(new String(arrived.getBody(), StandardCharsets.UTF_8)).isEqualTo("unpaid");
      assertThat(arrived.getEnvelope().getRoutingKey()).isEqualTo("order.timeout");
    }
    everyMeterOfTheDashboardIsExported();
  }

  @Test
  void the_servers_image_knows_no_demo() throws Exception {
    Docker.Result demo =
        stack.compose(PATIENCE, "run", "-T", "--rm", "--no-deps", "pocketwatch", "demo");
    assertThat(demo.ok()).isFalse();
    assertThat(demo.output()).contains("Unmatched argument at index 0: 'demo'");
  }

  /** The shop's first orders are due in half a minute. */
  @Test
  void the_console_has_something_to_show() throws Exception {
    assertThat(stack.get("/").body()).contains("<title>Pocketwatch");
    String settled = "/api/v1/messages?route=demo-order-timeout&state=SETTLED";
    assertThat(stack.get(settled).statusCode()).isEqualTo(401);

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(stack.getAsUser(settled).body()).contains("\"SETTLED\""));
    assertThat(stack.getAsUser("/api/v1/messages?route=demo-trial-end&state=PENDING").body())
        .contains("\"PENDING\"");
  }

  @Test
  void no_password_is_written_to_a_log() throws Exception {
    assertThat(stack.logs()).isNotBlank().doesNotContain(RunningStack.secret());
  }

  private static ScheduledMessage store() throws Exception {
    JdbcDelayStore store = JdbcDelayStore.builder(stack.database()).build();
    try (TrackedPublisher publisher =
        DelayedPublisher.builder(stack.broker())
            .routes(DelayRoutes.load(CONFIGURATION))
            .build(TrackedPublisher.with(store))) {
      DelayedMessage message =
          DelayedMessage.to("orders", "order.timeout").body("unpaid").delay(DELAY);
      ScheduledMessage row = publisher.unwrap(HandOff.class).prepare(message).row();
      store.insert(List.of(row), null);
      return row;
    }
  }

  private static void everyMeterOfTheDashboardIsExported() throws Exception {
    String exported = stack.get("/metrics").body();
    String dashboard =
        Files.readString(ComposeFile.FOLDER.resolve("grafana/dashboards/pocketwatch.json"))
            + Files.readString(ComposeFile.FOLDER.resolve("prometheus/alerts.yml"));

    List<String> names =
        Pattern.compile("pocketwatch_\\w+")
            .matcher(dashboard)
            .results()
            .map(found -> found.group())
            .distinct()
            .toList();
    assertThat(names).hasSizeGreaterThan(10).containsAll(ONLY_ONCE_IT_HAPPENS);
    assertThat(names)
        .filteredOn(name -> !ONLY_ONCE_IT_HAPPENS.contains(name))
        .allSatisfy(name -> assertThat(exported).containsPattern("(?m)^" + name + "[ {]"));
  }

  private static String logs() {
    try {
      return stack.logs();
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }
}
