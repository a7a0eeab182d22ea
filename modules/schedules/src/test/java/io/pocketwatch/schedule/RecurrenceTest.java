// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.Schedule.Builder;
import io.pocketwatch.schedule.Schedule.Gap;
import io.pocketwatch.schedule.Schedule.Repeated;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class RecurrenceTest {

  @Test
  void five_fields_begin_with_the_minute_and_six_with_the_second() {
    assertThat(utc("0 9 * * MON-FRI", "2026-11-27T09:00:00Z", 2))
        .containsExactly("2026-11-30T09:00:00Z", "2026-12-01T09:00:00Z");
    assertThat(utc("30 0 9 * * *", "2026-11-27T09:00:00.5Z", 2))
        .containsExactly("2026-11-27T09:00:30Z", "2026-11-28T09:00:30Z");
  }

  /** In Quartz the first of these is Monday to Friday, and here it would be a day later. */
  @Test
  void days_by_number_as_quartz_writes_them_are_refused() {
    assertThatThrownBy(() -> Schedule.named("s").cron("0 0 9 ? * 2-6"))
        .hasMessageContainingAll("'0 0 9 ? * 2-6'", "as Quartz counts them", "MON-FRI");
    assertThat(utc("0 0 9 ? * MON-FRI", "2026-11-27T09:00:00Z", 1))
        .containsExactly("2026-11-30T09:00:00Z");
    assertThat(utc("0 0 9 ? * FRI#3", "2026-11-27T09:00:00Z", 1))
        .containsExactly("2026-12-18T09:00:00Z");
    assertThat(utc("0 0 9 1 * ?", "2026-11-27T09:00:00Z", 1))
        .containsExactly("2026-12-01T09:00:00Z");
  }

  @Test
  void both_days_mean_either_in_a_crontab_and_both_in_spring() {
    assertThat(utc("0 0 13 * FRI", "2026-11-25T00:00:00Z", 3))
        .containsExactly("2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z");
    assertThat(utc("0 0 0 13 * FRI", "2026-11-25T00:00:00Z", 1))
        .containsExactly("2027-08-13T00:00:00Z");
  }

  @Test
  void an_interval_keeps_its_phase_from_its_start_or_the_epoch() {
    Builder schedule = Schedule.named("s").route("r").every(Duration.ofMinutes(7));

    assertThat(schedule.build().recurrence().next(Instant.parse("1970-01-01T00:07:00Z")))
        .contains(Instant.parse("1970-01-01T00:14:00Z"));
    Recurrence started =
        schedule
            .zone(ZoneId.of("Europe/Berlin"))
            .starts(LocalDateTime.parse("2027-06-01T12:00"))
            .build()
            .recurrence();
    assertThat(texts(started.next(Instant.EPOCH, 2)))
        .containsExactly("2027-06-01T10:00:00Z", "2027-06-01T10:07:00Z");
  }

  @Test
  void nothing_recurs_before_its_start_after_its_end_or_from_2100_on() {
    Recurrence recurrence =
        Schedule.named("s")
            .route("r")
            .cron("0 9 * * *")
            .starts(LocalDateTime.parse("2027-01-02T09:00"))
            .ends(LocalDateTime.parse("2027-01-03T09:00"))
            .build()
            .recurrence();

    assertThat(texts(recurrence.next(Instant.EPOCH, 9)))
        .containsExactly("2027-01-02T09:00:00Z", "2027-01-03T09:00:00Z");
    assertThat(utc("0 0 1 1 *", "2098-06-01T00:00:00Z", 9)).containsExactly("2099-01-01T00:00:00Z");
  }

  @Test
  void a_time_in_a_gap_moves_to_its_end_or_is_skipped_in_berlin() {
    assertThat(on("Europe/Berlin", "30 2 * * *", "2027-03-27T12:00:00Z", 2))
        .containsExactly(
            "2027-03-28T03:00 moved by daylight saving from 02:30", "2027-03-29T02:30");
    assertThat(
            shown(
                berlin("30 2 * * *").gap(Gap.SKIP).build(),
                Instant.parse("2027-03-27T12:00:00Z"),
                1))
        .containsExactly("2027-03-29T02:30");
  }

  @Test
  void two_that_meet_at_the_end_of_a_gap_are_one() {
    assertThat(on("Europe/Berlin", "0,30 2,3 * * *", "2027-03-27T12:00:00Z", 3))
        .containsExactly("2027-03-28T03:00", "2027-03-28T03:30", "2027-03-29T02:00");
    assertThat(on("Europe/Berlin", "*/20 2 * * *", "2027-03-27T12:00:00Z", 2))
        .containsExactly(
            "2027-03-28T03:00 moved by daylight saving from 02:00", "2027-03-29T02:00");
  }

  @Test
  void every_hour_and_a_step_in_a_gap_of_an_hour() {
    assertThat(on("Europe/Berlin", "30 * * * *", "2027-03-28T00:00:00Z", 3))
        .containsExactly("2027-03-28T01:30", "2027-03-28T03:30", "2027-03-28T04:30");
    assertThat(on("Europe/Berlin", "30 */2 * * *", "2027-03-27T23:00:00Z", 3))
        .containsExactly(
            "2027-03-28T00:30",
            "2027-03-28T03:00 moved by daylight saving from 02:30",
            "2027-03-28T04:30");
  }

  @Test
  void a_time_that_exists_twice_fires_first_or_both_times_in_berlin() {
    assertThat(on("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00Z", 2))
        .containsExactly("2026-10-25T02:30 exists twice, the first", "2026-10-26T02:30");
    assertThat(
            shown(
                berlin("30 2 * * *").repeated(Repeated.BOTH).build(),
                Instant.parse("2026-10-24T12:00:00Z"),
                3))
        .containsExactly(
            "2026-10-25T02:30 exists twice, the first",
            "2026-10-25T02:30 exists twice, the second",
            "2026-10-26T02:30");
  }

  @Test
  void hours_that_mean_elapsed_time_fire_both_times() {
    assertThat(on("Europe/Berlin", "0 * * * *", "2026-10-24T23:30:00Z", 4))
        .containsExactly(
            "2026-10-25T02:00 exists twice, the first",
            "2026-10-25T02:00 exists twice, the second",
            "2026-10-25T03:00",
            "2026-10-25T04:00");
  }

  @Test
  void from_within_the_hour_that_is_repeated_the_first_time_is_over() {
    Instant second = Instant.parse("2026-10-25T01:10:00Z"); // 02:10, the second time

    assertThat(shown(berlin("30 2 * * *").build(), second, 1)).containsExactly("2026-10-26T02:30");
    assertThat(
            shown(
                berlin("30 2 * * *").repeated(Repeated.BOTH).build(),
                Instant.parse("2026-10-25T00:45:00Z"),
                1))
        .containsExactly("2026-10-25T02:30 exists twice, the second");
  }

  @Test
  void midnight_that_does_not_exist_in_sao_paulo_and_cairo() {
    assertThat(on("America/Sao_Paulo", "0 0 * * *", "2018-11-03T12:00:00Z", 2))
        .containsExactly(
            "2018-11-04T01:00 moved by daylight saving from 00:00", "2018-11-05T00:00");
    assertThat(on("Africa/Cairo", "15 0 * * *", "2025-04-24T12:00:00Z", 2))
        .containsExactly(
            "2025-04-25T01:00 moved by daylight saving from 00:15", "2025-04-26T00:15");
  }

  @Test
  void half_an_hour_on_lord_howe() {
    assertThat(on("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00:00Z", 2))
        .containsExactly(
            "2026-10-04T02:30 moved by daylight saving from 02:15", "2026-10-05T02:15");
    assertThat(on("Australia/Lord_Howe", "15 * * * *", "2026-10-03T14:30:00Z", 3))
        .containsExactly(
            "2026-10-04T01:15",
            "2026-10-04T02:30 moved by daylight saving from 02:15",
            "2026-10-04T03:15");
    assertThat(on("Australia/Lord_Howe", "45 1 * * *", "2027-04-03T00:00:00Z", 2))
        .containsExactly("2027-04-04T01:45 exists twice, the first", "2027-04-05T01:45");
  }

  @Test
  void words_are_english_or_chinese() {
    Recurrence weekdays = berlin("0 9 * * MON-FRI").build().recurrence();

    assertThat(weekdays.describe(Locale.GERMANY))
        .isEqualTo("at 09:00 every day between Monday and Friday");
    assertThat(weekdays.describe(Locale.SIMPLIFIED_CHINESE)).contains("星期一", "星期五");
    Recurrence interval =
        Schedule.named("s").route("r").every(Duration.ofMinutes(15)).build().recurrence();
    assertThat(interval.describe(Locale.ENGLISH)).isEqualTo("every 15m");
  }

  @Test
  void what_can_never_fire_is_refused() {
    assertThatThrownBy(() -> Schedule.named("s").cron("0 0 30 2 *"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cron '0 0 30 2 *' never fires: no month has such a day");
    assertThatThrownBy(() -> Schedule.named("s").cron("0 9 * *"))
        .hasMessage("cron '0 9 * *' has 4 fields; allowed: 5, or 6 with the second first");
    assertThatThrownBy(() -> Schedule.named("s").cron("0 25 * * *"))
        .hasMessageStartingWith("cron '0 25 * * *' is not understood: ");
  }

  private static List<String> utc(String cron, String after, int count) {
    Schedule schedule = Schedule.named("s").route("r").cron(cron).build();
    return texts(schedule.recurrence().next(Instant.parse(after), count));
  }

  private static List<String> texts(List<Occurrence> occurrences) {
    return occurrences.stream().map(each -> each.at().toString()).toList();
  }

  private static Builder berlin(String cron) {
    return Schedule.named("s").route("r").cron(cron).zone(ZoneId.of("Europe/Berlin"));
  }

  private static List<String> on(String zone, String cron, String after, int count) {
    Schedule schedule = Schedule.named("s").route("r").cron(cron).zone(ZoneId.of(zone)).build();
    return shown(schedule, Instant.parse(after), count);
  }

  private static List<String> shown(Schedule schedule, Instant after, int count) {
    return schedule.recurrence().next(after, count).stream()
        .map(
            each ->
                each.local().toLocalDateTime() + (each.remark() == null ? "" : " " + each.remark()))
        .toList();
  }
}
