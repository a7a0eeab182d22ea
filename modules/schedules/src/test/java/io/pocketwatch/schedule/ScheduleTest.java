// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.schedule.Schedule.Builder;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Gap;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.schedule.Schedule.Repeated;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScheduleTest {
  private static final String YAML =
      """
      pocketwatch:
        routes:
          reports: { exchange: reports, routing-key: daily, tracking: full }
        schedules:
          daily-report:
            route: reports
      """;

  @TempDir private Path directory;

  @Test
  void everything_comes_back_from_json() {
    Schedule schedule = full().build();

    Schedule back = Schedule.fromJson("daily-report", schedule.toJson());

    assertThat(back).isEqualTo(schedule).hasSameHashCodeAs(schedule);
    assertThat(back.toJson()).isEqualTo(schedule.toJson());
    assertThat(back.headers()).containsEntry("tries", 3L).containsEntry("last", true);
    assertThat(back.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
    assertThat(new String(back.body(), UTF_8)).isEqualTo("{\"report\":\"daily\"}");
    assertThat(schedule.toBuilder().build()).isEqualTo(schedule);
    assertThat(schedule.toBuilder().times(4).build()).isNotEqualTo(schedule);
  }

  @Test
  void the_text_is_stable_and_has_no_defaults() {
    Schedule schedule =
        Schedule.named("s").cron("0 9 * * *").route("r").header("b", 1).header("a", "x").build();

    assertThat(schedule.toJson())
        .isEqualTo(
            """
            {"cron":"0 9 * * *","zone":"UTC","route":"r","headers":{"a":"x","b":1}}\
            """);
  }

  @Test
  void a_body_that_is_no_text_comes_back_too() {
    byte[] body = {(byte) 0xff, 0, 1};
    Schedule schedule = Schedule.named("s").cron("0 9 * * *").route("r").body(body).build();

    assertThat(schedule.toJson()).contains("\"body-base64\":\"/wAB\"");
    assertThat(Schedule.fromJson("s", schedule.toJson()).body()).isEqualTo(body);
  }

  @Test
  void limits_are_named() {
    Builder builder = Schedule.named("s");

    refused(() -> Schedule.named("a@b"), "'a@b' is no name of a schedule; allowed: 1 to 100");
    refused(() -> builder.every(Duration.ofMillis(999)), "every is 999ms; allowed: 1s to 3650d");
    refused(() -> builder.every(Duration.ofMillis(1_500)), "every must be whole seconds");
    refused(() -> builder.jitter(Duration.ofDays(2)), "jitter is 2d; allowed: 0ms to 1d");
    refused(() -> builder.times(0), "times is 0; allowed: 1 to 1000000000");
    refused(() -> builder.zone(ZoneOffset.ofHours(1)), "'+01:00' is no zone of the tz database");
    refused(() -> builder.zone(ZoneOffset.UTC), "'Z' is no zone of the tz database");
    refused(() -> builder.header("pocketwatch-id", "x"), "header 'pocketwatch-id' is one of");
    refused(() -> builder.header("x", List.of()), "header 'x' is a ListN; allowed:");
    refused(
        () -> Schedule.named("s").route("r").build(), "schedule 's' needs one of cron and every");
    refused(
        () -> Schedule.named("s").cron("0 9 * * *").every(Duration.ofHours(1)).build(),
        "schedule 's' has both cron and every; leave one of them out");
    refused(() -> Schedule.named("s").cron("0 9 * * *").build(), "schedule 's' has no route");
    refused(
        () -> full().ends(LocalDateTime.parse("2026-01-01T00:00")).build(),
        "schedule 'daily-report' ends at 2026-01-01T00:00, before it starts");
    refused(
        () -> full().body("x".repeat(1_000_001)).build(),
        "schedule 'daily-report': its body and headers take 1000");
    refused(
        () -> full().businessKey("x".repeat(4_000)).build(),
        "schedule 'daily-report': its rule and target take 4");
  }

  @Test
  void jitter_is_stable_and_never_early() {
    Schedule schedule = full().jitter(Duration.ofSeconds(30)).build();
    Instant at = Instant.parse("2027-03-28T07:00:00Z");

    assertThat(schedule.deliverAt(at))
        .isEqualTo(schedule.toBuilder().body("other").build().deliverAt(at))
        .isBetween(at, at.plusSeconds(30));
    List<Instant> many =
        schedule.recurrence().next(at, 100).stream().map(each -> each.at()).toList();
    assertThat(many)
        .allSatisfy(each -> assertThat(schedule.deliverAt(each)).isAfterOrEqualTo(each));
    assertThat(
            many.stream().map(each -> Duration.between(each, schedule.deliverAt(each))).distinct())
        .hasSizeGreaterThan(50);
  }

  @Test
  void yaml_has_the_same_keys() throws IOException {
    Path body = Files.writeString(directory.resolve("body.json"), "{}");
    String yaml =
        YAML
            + """
                  every: 15m
                  starts: 2026-12-01T00:00
                  catch-up: none
                  overlap: skip
                  file: '%s'
                  headers: { tries: 3, kind: daily }
                second:
                  route: reports
                  cron: "0 9 * * MON-FRI"
                  zone: Europe/Berlin
            """
                .formatted(body);

    List<Schedule> schedules = Schedules.read(DelayRoutes.parse(yaml, "test.yml"));

    assertThat(schedules)
        .containsExactly(
            Schedule.named("daily-report")
                .route("reports")
                .every(Duration.ofMinutes(15))
                .starts(LocalDateTime.parse("2026-12-01T00:00"))
                .catchUp(CatchUp.NONE)
                .overlap(Overlap.SKIP)
                .body("{}")
                .header("tries", 3)
                .header("kind", "daily")
                .build(),
            Schedule.named("second")
                .route("reports")
                .cron("0 9 * * MON-FRI")
                .zone(ZoneId.of("Europe/Berlin"))
                .build());
    assertThat(Schedules.read(DelayRoutes.none())).isEmpty();
  }

  @Test
  void properties_are_texts_and_read_alike() {
    DelayRoutes routes =
        DelayRoutes.of(
            Map.of(
                "routes",
                Map.of("r", Map.of("routing-key", "r", "tracking", "handoff")),
                "schedules",
                Map.of("s", Map.of("every", "15m", "times", "3", "route", "r"))),
            "properties");

    assertThat(Schedules.read(routes))
        .containsExactly(
            Schedule.named("s").every(Duration.ofMinutes(15)).times(3).route("r").build());
  }

  @Test
  void yaml_errors_name_the_key() {
    String path = "test.yml:8: pocketwatch.schedules.daily-report";

    wrong("crno: '0 9 * * *'", path + ".crno: unknown key");
    wrong("cron: '0 0 31 6 *'", path + ".cron: cron '0 0 31 6 *' never fires");
    wrong("every: 15", path + ".every: 15 has no unit");
    wrong("every: 10ms", path + ".every: every is 10ms; allowed: 1s to 3650d");
    wrong("zone: Mars", path + ".zone: 'Mars' is no zone; write UTC or");
    wrong("zone: '+02:00'", path + ".zone: '+02:00' is no zone of the tz database");
    wrong("starts: tomorrow", path + ".starts: 'tomorrow' is no local time; write for example");
    wrong("catch-up: some", path + ".catch-up: 'some' is unknown; allowed: none, latest, all");
    wrong("headers: { a: [1] }", path + ".headers.a: [1] is a list; allowed: a text, a whole");
    wrong("headers: { pocketwatch-id: a }", path + ".headers.pocketwatch-id: header");
    wrong("body-base64: '?'", path + ".body-base64: is not Base64");
    wrong("file: no-such-file", path + ".file: cannot be read: there is no file 'no-such-file'");
    String section = "test.yml:5: pocketwatch.schedules.daily-report";
    wrong("body: a", section + ": schedule 'daily-report' needs one of cron and every");
  }

  @Test
  void what_does_not_go_together_is_told_at_once_and_with_its_line() {
    String yaml =
        YAML
            + """
                  every: 1h
                  gap: skip
                  repeated: first
                  catch-up: none
                  catch-up-window: 2h
                  business-key: %s
                no-such-route: { route: report, every: 1h }
                never: { route: reports, cron: 0 0 1 1 *, starts: 2027-02-01T00:00,
                         ends: 2027-03-01T00:00 }
                bodies: { route: reports, every: 1h, body: a, body-base64: YQ== }
            """
                .formatted("k".repeat(300));

    assertThatThrownBy(() -> Schedules.read(DelayRoutes.parse(yaml, "test.yml")))
        .hasMessageMatching(
            """
            test.yml:5: pocketwatch.schedules.daily-report: .*
            test.yml:8: pocketwatch.schedules.daily-report.gap: has no effect with every
            test.yml:11: pocketwatch.schedules.daily-report.catch-up-window: has no effect with \
            catch-up: none
            test.yml:13: pocketwatch.schedules.no-such-route.route: there is no route 'report'; \
            configured: \\[reports]
            test.yml:14: pocketwatch.schedules.never: schedule 'never': it ends at .*
            test.yml:16: pocketwatch.schedules.bodies.body-base64: is one body more; allowed: one \
            of body, body-base64, file
            """
                .strip());
  }

  @Test
  void the_shipped_configuration_shows_every_key() throws IOException {
    String shipped = Files.readString(Path.of("..", "..", "config", "pocketwatch.yml"));
    InvalidConfigurationException error =
        catchThrowableOfType(
            InvalidConfigurationException.class,
            () -> Schedules.read(DelayRoutes.parse(YAML + "      zzz: 1", "test.yml")));

    String allowed = error.getMessage().substring(error.getMessage().indexOf("allowed: ") + 9);
    assertThat(allowed.split(", "))
        .contains("file")
        .allSatisfy(key -> assertThat(shipped).containsPattern("(?m)^      # " + key + ": "));
  }

  @Test
  void json_from_elsewhere_may_read_no_file() {
    assertThatThrownBy(() -> Schedule.fromJson("s", "{\"file\":\"/etc/passwd\"}"))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageStartingWith("schedule 's': file: unknown key");
    assertThatThrownBy(() -> Schedule.fromJson("s", "{\"cron\":1,\"cron\":2}"))
        .hasMessageContaining("is not JSON: Duplicate field");
  }

  private static void wrong(String line, String message) {
    String more = line.startsWith("{") ? line.substring(1, line.length() - 1).trim() : line;
    String yaml = YAML + more.replaceAll("(^|, (?=file))", "\n      ") + "\n";
    assertThatThrownBy(() -> Schedules.read(DelayRoutes.parse(yaml, "test.yml")))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageStartingWith(message);
  }

  private static void refused(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  private static Builder full() {
    return Schedule.named("daily-report")
        .cron("0 9 * * MON-FRI")
        .zone(ZoneId.of("Europe/Berlin"))
        .starts(LocalDateTime.parse("2026-12-01T00:00"))
        .ends(LocalDateTime.parse("2030-12-01T00:00:01"))
        .times(1_000)
        .jitter(Duration.ofSeconds(90))
        .catchUp(CatchUp.ALL)
        .catchUpWindow(Duration.ofHours(2))
        .overlap(Overlap.SKIP)
        .gap(Gap.SKIP)
        .repeated(Repeated.BOTH)
        .route("reports")
        .exchange("other")
        .routingKey("key")
        .body("{\"report\":\"daily\"}")
        .contentType("application/json")
        .header("tries", 3)
        .header("last", true)
        .header("kind", "daily")
        .businessKey("report");
  }
}
