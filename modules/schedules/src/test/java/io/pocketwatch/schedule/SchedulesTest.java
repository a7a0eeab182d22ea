// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.schedule.Schedule.Builder;
import io.pocketwatch.schedule.ScheduleException.ImpossibleScheduleException;
import io.pocketwatch.schedule.ScheduleException.OtherVersionException;
import io.pocketwatch.schedule.ScheduleException.OwnedByYamlException;
import io.pocketwatch.schedule.ScheduleException.TooManySchedulesException;
import io.pocketwatch.schedule.ScheduleException.UnknownScheduleException;
import io.pocketwatch.schedule.Schedules.Run;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SchedulesTest {
  private final MemoryScheduleStore store = new MemoryScheduleStore();
  private final Schedules schedules = store.facade();
  private final SchedulesRunner runner = SchedulesRunner.of(schedules);

  @Test
  void a_new_schedule_counts_from_now_on() {
    ScheduleView put = schedules.put(hourly().build(), "anna");

    assertThat(put.stored().nextAt()).isEqualTo("2027-01-01T01:00:00Z");
    assertThat(put.stored().version()).isEqualTo(1);
    assertThat(put.stored().owner()).isNull();
    assertThat(put.stored().changedBy()).isEqualTo("anna");
    assertThat(put.schedule()).isEqualTo(hourly().build());
    assertThat(schedules.list())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.stored().payload()).isNull();
              assertThat(each.schedule().zone()).isEqualTo(hourly().build().zone());
              assertThatThrownBy(() -> each.schedule().toBuilder())
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("ask for it by its name");
            });
    assertThat(schedules.find("s")).contains(put);
  }

  @Test
  void the_same_definition_changes_nothing() {
    ScheduleView put = schedules.put(hourly().build(), "anna");
    store.now = store.now.plusSeconds(60);

    assertThat(schedules.put(hourly().build(), "ben")).isEqualTo(put);
  }

  @Test
  void an_edit_counts_at_once_and_takes_back_what_is_still_stored() {
    schedules.put(every(4).build(), "anna");
    pass(); // 00:04 and 00:08
    store.states.put("s@2027-01-01T00:00:04Z", MessageState.HELD);

    ScheduleView edited = schedules.put(every(8).body("new").build(), "ben");

    assertThat(store.rows).containsOnlyKeys("s@2027-01-01T00:00:04Z");
    assertThat(edited.stored().version()).isEqualTo(2);
    assertThat(edited.stored().nextAt()).isEqualTo("2027-01-01T00:00:08Z");
    assertThat(edited.stored().fired()).isEqualTo(1);
    pass();
    assertThat(store.rows).containsOnlyKeys("s@2027-01-01T00:00:04Z", "s@2027-01-01T00:00:08Z");
    assertThat(new String(store.rows.get("s@2027-01-01T00:00:08Z").body())).isEqualTo("new");
    assertThat(schedules.find("s").orElseThrow().stored().fired()).isEqualTo(2);
  }

  @Test
  void what_can_never_fire_is_refused_with_the_reason() {
    refused(
        hourly().ends(LocalDateTime.parse("2026-12-31T00:00")),
        "schedule 's': it ends at 2026-12-31T00:00 in UTC, and has no occurrence until then");
    refused(
        hourly().starts(LocalDateTime.parse("2101-01-01T00:00")),
        "schedule 's': it has no occurrence before 2100");
    refused(hourly().route("gone"), "schedule 's': there is no route 'gone'");
    assertThat(store.schedules).isEmpty();
  }

  @Test
  void one_that_has_had_its_times_takes_no_fewer() {
    schedules.put(every(2).times(3).build(), null);
    pass();
    assertThat(schedules.find("s").orElseThrow().ended()).isTrue();
    store.now = store.now.plusSeconds(6);

    refused(every(2).times(2), "schedule 's': it has had its 2 occurrences already");
    assertThat(schedules.put(every(2).times(4).build(), null).ended()).isFalse();
  }

  @Test
  void a_pause_has_a_note_and_takes_back_and_a_resume_goes_on_from_now() {
    schedules.put(every(5).build(), "anna");
    pass();
    assertThat(store.rows).hasSize(2);

    ScheduleView paused = schedules.pause("s", "holidays", null, "ben");

    assertThat(store.rows).isEmpty();
    assertThat(paused.paused()).isTrue();
    assertThat(paused.stored().note()).isEqualTo("holidays");
    store.now = store.now.plusSeconds(3_601);
    pass();
    assertThat(store.rows).isEmpty();
    ScheduleView resumed = schedules.resume("s", "ben");
    assertThat(resumed.stored().nextAt()).isEqualTo("2027-01-01T01:00:05Z");
    assertThat(resumed.stored().missed()).isZero();
    assertThat(resumed.stored().note()).isNull();
  }

  @Test
  void a_resume_at_once_makes_again_what_the_pause_took_back() {
    schedules.put(every(5).build(), null);
    pass();
    schedules.pause("s", null, null, null);
    schedules.resume("s", null);
    pass();

    assertThat(store.rows).hasSize(2);
    assertThat(schedules.find("s").orElseThrow().stored().fired()).isEqualTo(2);
  }

  @Test
  void what_was_overdue_before_a_pause_is_caught_up_with_or_missed() {
    schedules.put(every(60).build(), null);
    store.now = store.now.plusSeconds(200);

    StoredSchedule paused = schedules.pause("s", null, null, null).stored();

    assertThat(paused.missed()).isEqualTo(2);
    assertThat(paused.fired()).isEqualTo(1);
    assertThat(store.rows).containsOnlyKeys("s@2027-01-01T00:03:00Z");
  }

  @Test
  void an_edit_fires_first_what_was_due_until_now_by_the_old_definition() {
    schedules.put(every(60).body("old").build(), null);
    store.now = store.now.plusSeconds(64); // the runner is away

    StoredSchedule edited = schedules.put(every(3_600).body("new").build(), null).stored();

    assertThat(store.rows).containsOnlyKeys("s@2027-01-01T00:01:00Z");
    assertThat(new String(store.rows.firstEntry().getValue().body())).isEqualTo("old");
    assertThat(edited.fired()).isEqualTo(1);
    assertThat(edited.nextAt()).isEqualTo("2027-01-01T01:00:00Z");
  }

  @Test
  void an_edit_counts_as_missed_what_its_old_route_can_no_longer_send() {
    schedules.put(every(60).build(), null);
    ScheduleDraft draft = new ScheduleDraft(store.schedules.get("s"));
    draft.definition = every(60).route("gone").build().definition();
    store.schedules.put("s", draft.toStored());
    store.now = store.now.plusSeconds(64);

    StoredSchedule edited = schedules.put(every(60).build(), null).stored();

    assertThat(edited.missed()).isEqualTo(1);
    assertThat(edited.nextAt()).isEqualTo("2027-01-01T00:02:00Z");
  }

  @Test
  void an_edit_after_a_long_outage_counts_all_that_was_missed() {
    schedules.put(every(1).build(), null);
    store.now = store.now.plusSeconds(5_000);

    StoredSchedule edited = schedules.put(every(3_600).build(), null).stored();

    assertThat(edited.missed()).isEqualTo(4_988);
    assertThat(edited.fired()).isEqualTo(12); // the latest that was missed, 10 s before now, now
  }

  @Test
  void a_removal_sends_what_was_due_and_takes_back_what_is_ahead() {
    schedules.put(every(5).build(), null);
    pass();
    store.now = store.now.plusSeconds(17); // 00:05 and 00:10 are made; 00:15 is overdue

    schedules.remove("s", null);

    assertThat(store.rows)
        .containsOnlyKeys(
            "s@2027-01-01T00:00:05Z", "s@2027-01-01T00:00:10Z", "s@2027-01-01T00:00:15Z");
  }

  @Test
  void a_pause_that_ends_by_itself() {
    schedules.put(every(60).build(), null);
    Instant until = store.now.plusSeconds(3_600);
    schedules.pause("s", null, until, null);
    assertThatThrownBy(() -> schedules.pause("s", null, store.now, null))
        .isInstanceOf(IllegalArgumentException.class);

    store.now = until;
    pass();

    assertThat(store.rows).containsOnlyKeys("s@2027-01-01T01:00:00Z");
    assertThat(schedules.find("s").orElseThrow().paused()).isFalse();
  }

  @Test
  void a_run_is_sent_once_per_key_and_is_no_occurrence() {
    ScheduleView put = schedules.put(hourly().build(), null);
    schedules.pause("s", null, null, null);

    Run first = schedules.run("s", "k1", "anna");
    Run again = schedules.run("s", "k1", "anna");

    assertThat(first.inserted()).isTrue();
    assertThat(first.key().id()).isEqualTo("s@run-k1");
    assertThat(again).isEqualTo(new Run(first.key(), false));
    assertThat(schedules.run("s", null, null).inserted()).isTrue();
    assertThat(schedules.find("s").orElseThrow().stored().fired()).isZero();
    assertThat(schedules.resume("s", null).stored().nextAt()).isEqualTo(put.stored().nextAt());
  }

  @Test
  void occurrences_to_come_and_rows_that_are_there() {
    schedules.put(every(5).build(), null);
    pass();
    schedules.run("s", "k", null);

    Schedules.Occurrences shown = schedules.occurrences("s", 2, 10);

    assertThat(shown.next())
        .extracting(each -> each.at().toString())
        .containsExactly("2027-01-01T00:00:15Z", "2027-01-01T00:00:20Z");
    assertThat(shown.past())
        .extracting(row -> row.key().id())
        .containsExactly("s@2027-01-01T00:00:10Z", "s@2027-01-01T00:00:05Z", "s@run-k");
    assertThat(schedules.preview(hourly().build(), 3)).hasSize(3);
  }

  @Test
  void whoever_names_another_version_changes_nothing() {
    Schedule schedule = hourly().build();
    assertThatThrownBy(() -> schedules.put(schedule, 1L, "anna"))
        .isInstanceOf(OtherVersionException.class)
        .hasMessage("schedule 's': none is there, not version 1");
    assertThat(schedules.put(schedule, 0L, "anna").stored().version()).isEqualTo(1);
    assertThatThrownBy(() -> schedules.put(every(5).build(), 0L, "ben"))
        .isInstanceOf(OtherVersionException.class)
        .hasMessage("schedule 's': version 1 is there, not none");
    assertThat(schedules.put(every(5).build(), 1L, "anna").stored().version()).isEqualTo(2);

    assertThatThrownBy(() -> schedules.remove("s", 1L, "ben"))
        .isInstanceOf(OtherVersionException.class);
    assertThat(schedules.remove("s", 2L, "anna")).isTrue();
  }

  @Test
  void yaml_owns_its_schedules() {
    schedules.apply("billing", List.of(hourly().build()), "node-1");
    StoredSchedule first = schedules.find("s").orElseThrow().stored();
    assertThat(first.owner()).isEqualTo("billing");

    assertThatThrownBy(() -> schedules.put(every(5).build(), "anna"))
        .isInstanceOf(OwnedByYamlException.class)
        .hasMessage("schedule 's': change it in the configuration of billing");
    assertThatThrownBy(() -> schedules.remove("s", "anna"))
        .isInstanceOf(OwnedByYamlException.class);
    store.now = store.now.plusSeconds(60);
    schedules.apply("billing", List.of(hourly().build()), "node-2");
    assertThat(schedules.find("s").orElseThrow().stored()).isEqualTo(first);
    assertThat(schedules.pause("s", null, null, "anna").paused()).isTrue();
    assertThat(schedules.resume("s", "anna").paused()).isFalse();
  }

  @Test
  void gone_from_yaml_is_paused_and_shown_and_back_again_goes_on() {
    schedules.put(Schedule.named("api").route("reports").every(Duration.ofHours(1)).build(), null);
    schedules.apply("billing", List.of(hourly().build()), "node");

    schedules.apply("billing", List.of(), "node");

    StoredSchedule orphan = schedules.find("s").orElseThrow().stored();
    assertThat(orphan.orphaned()).isTrue();
    assertThat(orphan.pausedAt()).isEqualTo(store.now);
    assertThat(orphan.note()).isEqualTo("gone from YAML");
    assertThat(schedules.find("api").orElseThrow().paused()).isFalse();
    assertThatThrownBy(() -> schedules.resume("s", "anna"))
        .isInstanceOf(OwnedByYamlException.class);
    store.now = store.now.plusSeconds(7_200);
    schedules.apply("billing", List.of(hourly().build()), "node");
    StoredSchedule back = schedules.find("s").orElseThrow().stored();
    assertThat(back.orphaned()).isFalse();
    assertThat(back.pausedAt()).isNull();
    assertThat(back.nextAt()).isEqualTo("2027-01-01T03:00:00Z");
    schedules.apply("billing", List.of(), "node");
    assertThat(schedules.remove("s", "anna")).isTrue();
    assertThat(schedules.remove("s", "anna")).isFalse();
  }

  @Test
  void two_configurations_on_one_store_leave_each_other_alone() {
    schedules.apply("billing", List.of(hourly().build()), "node-1");
    Schedule own = Schedule.named("t").route("reports").every(Duration.ofHours(1)).build();
    schedules.apply("shipping", List.of(own), "node-2");
    schedules.apply("shipping", List.of(), "node-2");

    assertThat(schedules.find("s").orElseThrow().stored().orphaned()).isFalse();
    assertThat(schedules.find("t").orElseThrow().stored().orphaned()).isTrue();
  }

  @Test
  void a_pause_by_hand_outlives_the_yaml() {
    schedules.apply("billing", List.of(hourly().build()), "node");
    schedules.pause("s", "by hand", null, "anna");

    schedules.apply("billing", List.of(), "node");
    schedules.apply("billing", List.of(hourly().build()), "node");

    StoredSchedule back = schedules.find("s").orElseThrow().stored();
    assertThat(back.orphaned()).isFalse();
    assertThat(back.note()).isEqualTo("by hand");
    assertThat(back.pausedAt()).isNotNull();
  }

  @Test
  void yaml_takes_over_one_of_the_api_and_one_bad_schedule_changes_nothing() {
    schedules.put(hourly().build(), "anna");

    assertThatThrownBy(
            () ->
                schedules.apply(
                    "billing",
                    List.of(
                        every(60).build(),
                        Schedule.named("t").route("gone").cron("0 9 * * *").build()),
                    "node"))
        .isInstanceOf(ImpossibleScheduleException.class);
    assertThat(schedules.find("s").orElseThrow().stored().version()).isEqualTo(1);
    schedules.apply("billing", List.of(every(60).build()), "node");
    StoredSchedule taken = schedules.find("s").orElseThrow().stored();
    assertThat(taken.owner()).isEqualTo("billing");
    assertThat(taken.version()).isEqualTo(2);
  }

  @Test
  void a_schedule_that_cannot_fire_stops_no_other() {
    schedules.put(hourly().build(), null);
    StoredSchedule good = store.schedules.get("s");
    for (int i = 0; i < 150; i++) {
      String name = "broken-" + i;
      ScheduleDraft broken = ScheduleDraft.fresh(name, store.now);
      broken.definition = i == 0 ? "{}" : hourly().route("gone").build().definition();
      broken.payload = "{}";
      broken.nextAt = good.nextAt().minusSeconds(60);
      store.schedules.put(name, broken.toStored());
    }
    store.now = good.nextAt();

    runner.pass();
    runner.pass();

    assertThat(store.rows).containsKey("s@2027-01-01T01:00:00Z");
    assertThat(runner.state().failing())
        .hasSize(150)
        .containsEntry(
            "broken-1",
            "schedule 'broken-1': there is no route 'gone'; configured: [reports, any-key,"
                + " untracked]");
    assertThat(runner.state().warnings()).hasSize(150);
    assertThat(schedules.find("broken-0").orElseThrow().problem()).contains("broken-0");
  }

  @Test
  void a_rule_that_tells_nothing_is_told_until_it_is_edited() {
    schedules.put(hourly().build(), null);
    ScheduleDraft draft = new ScheduleDraft(store.schedules.get("s"));
    draft.problem = "no such day";
    draft.nextAt = store.now.minusSeconds(20);
    store.schedules.put("s", draft.toStored());

    ScheduleView broken = schedules.find("s").orElseThrow();
    assertThat(broken.problem()).isEqualTo("no such day");
    assertThat(broken.ended()).isFalse();
    assertThat(broken.late(store.now)).isTrue();
    assertThat(schedules.occurrences("s", 5, 5).next()).isEmpty();
    ScheduleView edited = schedules.put(every(5).build(), null);
    assertThat(edited.problem()).isNull();
    assertThat(edited.stored().missed()).as("it has been dealt with").isZero();
    assertThat(edited.stored().nextAt()).isEqualTo("2027-01-01T00:00:05Z");
  }

  @Test
  void a_store_takes_a_thousand_schedules() {
    List<Schedule> many =
        IntStream.range(0, 1_000)
            .mapToObj(
                i -> Schedule.named("s" + i).route("reports").every(Duration.ofHours(1)).build())
            .toList();
    schedules.apply("billing", many, "node");

    tooMany(hourly().build(), "schedule 's': the store has 1000 schedules; allowed: 1000");
    schedules.apply("billing", many.subList(0, 999), "node");
    schedules.remove("s999", null);
    schedules.put(hourly().build(), null);
    Schedule other = Schedule.named("t").route("reports").cron("0 9 * * *").build();
    assertThatThrownBy(() -> schedules.apply("shipping", List.of(other), "node"))
        .isInstanceOf(TooManySchedulesException.class);
    assertThat(store.schedules).hasSize(1_000);
  }

  @Test
  void a_store_takes_64_megabytes_of_bodies_and_headers() {
    Builder large = hourly().body("x".repeat(999_000));
    for (int i = 0; i < 64; i++) {
      ScheduleDraft draft = ScheduleDraft.fresh("s" + i, store.now);
      draft.definition = large.build().definition();
      draft.payload = large.build().payload();
      store.schedules.put("s" + i, draft.toStored());
    }

    tooMany(
        large.build(),
        "schedule 's': all bodies and headers would take 64935715 bytes in the store; allowed:"
            + " 64000000");
    assertThat(schedules.put(hourly().build(), null).stored().version()).isEqualTo(1);
  }

  private void tooMany(Schedule schedule, String message) {
    assertThatThrownBy(() -> schedules.put(schedule, null))
        .isInstanceOf(TooManySchedulesException.class)
        .hasMessage(message);
  }

  @Test
  void late_after_two_intervals() {
    schedules.put(every(60).build(), null);
    ScheduleView view = schedules.find("s").orElseThrow();
    Instant next = view.stored().nextAt();

    assertThat(view.late(next.plusSeconds(119))).isFalse();
    assertThat(view.late(next.plusSeconds(120))).isTrue();
    assertThat(view.lag(next.minusSeconds(1))).isZero();
    assertThat(view.lag(next.plusSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    assertThat(schedules.pause("s", null, null, null).late(next.plusSeconds(999))).isFalse();
  }

  @Test
  void an_unknown_name_is_said_to_be() {
    assertThatThrownBy(() -> schedules.resume("t", null))
        .isInstanceOf(UnknownScheduleException.class)
        .hasMessage("schedule 't': there is none of this name");
    assertThatThrownBy(() -> schedules.run("t", null, null))
        .isInstanceOf(UnknownScheduleException.class);
    assertThat(schedules.find("t")).isEmpty();
  }

  private void pass() {
    runner.pass();
  }

  private void refused(Builder schedule, String message) {
    assertThatThrownBy(() -> schedules.put(schedule.build(), null))
        .isInstanceOf(ImpossibleScheduleException.class)
        .hasMessageStartingWith(message);
  }

  private static Builder hourly() {
    return Schedule.named("s").route("reports").cron("0 * * * *");
  }

  private static Builder every(int seconds) {
    return Schedule.named("s").route("reports").every(Duration.ofSeconds(seconds));
  }
}
