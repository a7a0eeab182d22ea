// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.schedule.Schedule.Builder;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.schedule.ScheduleException.ImpossibleScheduleException;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FiringRuleTest {
  private static final Instant NOON = Instant.parse("2027-01-01T12:00:00Z");

  private final FiringRule rule = new FiringRule(MemoryScheduleStore.occurrenceRows());

  @Test
  void fires_up_to_ten_seconds_ahead() {
    ScheduleChange change = fire(every(4), stored(every(4), NOON), NOON.plusSeconds(1), null);

    assertThat(ids(change))
        .containsExactly(
            "s@2027-01-01T12:00:00Z", "s@2027-01-01T12:00:04Z", "s@2027-01-01T12:00:08Z");
    assertThat(change.insert())
        .extracting(ScheduledMessage::deliverAt)
        .containsExactly(NOON, NOON.plusSeconds(4), NOON.plusSeconds(8));
    StoredSchedule after = change.schedule();
    assertThat(after.nextAt()).isEqualTo(NOON.plusSeconds(12));
    assertThat(after.lastAt()).isEqualTo(NOON.plusSeconds(8));
    assertThat(after.lastKey()).isEqualTo(new MessageKey("reports", "s@2027-01-01T12:00:08Z"));
    assertThat(after.fired()).isEqualTo(3);
    assertThat(after.version()).isEqualTo(1);
  }

  @Test
  void leaves_alone_what_is_not_due() {
    StoredSchedule stored = stored(every(60), NOON.plusSeconds(11));

    assertThat(fire(every(60), stored, NOON, null).schedule()).isEqualTo(stored);
  }

  @Test
  void catches_up_with_the_latest_within_the_window() {
    // 12:00 to 12:05 were missed, of which 12:05 is the latest; 12:06 is to come.
    ScheduleChange change = fire(every(60), stored(every(60), NOON), NOON.plusSeconds(355), null);

    assertThat(ids(change)).containsExactly("s@2027-01-01T12:05:00Z", "s@2027-01-01T12:06:00Z");
    assertThat(change.insert().get(0).deliverAt()).isEqualTo(NOON.plusSeconds(355));
    assertThat(change.schedule().missed()).isEqualTo(5);
    assertThat(change.schedule().fired()).isEqualTo(2);
  }

  @Test
  void catches_up_with_nothing_beyond_the_window() {
    Builder schedule = every(3_600).catchUpWindow(Duration.ofMinutes(10));

    ScheduleChange change = fire(schedule, stored(schedule, NOON), NOON.plusSeconds(601), null);

    assertThat(change.insert()).isEmpty();
    assertThat(change.schedule().missed()).isEqualTo(1);
    assertThat(change.schedule().nextAt()).isEqualTo(NOON.plusSeconds(3_600));
  }

  @Test
  void catches_up_with_none_or_with_all() {
    Builder none = every(60).catchUp(CatchUp.NONE);
    assertThat(ids(fire(none, stored(none, NOON), NOON.plusSeconds(345), null))).isEmpty();

    Builder all = every(60).catchUp(CatchUp.ALL).catchUpWindow(Duration.ofMinutes(4));
    ScheduleChange change = fire(all, stored(all, NOON), NOON.plusSeconds(345), null);
    assertThat(ids(change))
        .containsExactly(
            "s@2027-01-01T12:02:00Z",
            "s@2027-01-01T12:03:00Z",
            "s@2027-01-01T12:04:00Z",
            "s@2027-01-01T12:05:00Z");
    assertThat(change.schedule().missed()).isEqualTo(2);
  }

  @Test
  void fires_a_hundred_at_a_time() {
    Builder all = every(1).catchUp(CatchUp.ALL);
    StoredSchedule stored = stored(all, NOON);

    ScheduleChange first = fire(all, stored, NOON.plusSeconds(300), null);
    assertThat(first.insert()).hasSize(100);
    assertThat(first.schedule().nextAt()).isEqualTo(NOON.plusSeconds(100));
  }

  @Test
  void counts_a_long_outage_in_several_turns() {
    Builder latest = every(1);
    StoredSchedule stored = stored(latest, NOON);
    int fired = 0;
    for (int turn = 0; turn < 3; turn++) {
      ScheduleChange change = fire(latest, stored, NOON.plusSeconds(5_000), null);
      fired += change.insert().size();
      stored = change.schedule();
    }

    assertThat(stored.missed()).isEqualTo(4_989);
    assertThat(fired).isEqualTo(22); // the latest that was missed, 10 s before now, now, 10 s ahead
    assertThat(stored.nextAt()).isEqualTo(NOON.plusSeconds(5_011));
  }

  @Test
  void one_that_overlaps_is_skipped_when_it_is_due() {
    Builder skip = every(60).overlap(Overlap.SKIP);
    StoredSchedule stored = stored(skip, NOON);

    assertThat(fire(skip, stored, NOON.minusSeconds(1), MessageState.HELD).schedule())
        .isEqualTo(stored);
    ScheduleChange skipped = fire(skip, stored, NOON, MessageState.HELD);
    assertThat(skipped.insert()).isEmpty();
    assertThat(skipped.schedule().skipped()).isEqualTo(1);
    assertThat(skipped.schedule().nextAt()).isEqualTo(NOON.plusSeconds(60));
    assertThat(fire(skip, stored, NOON, MessageState.FAILED).insert()).hasSize(1);
    assertThat(fire(skip, stored, NOON, null).insert()).hasSize(1);
  }

  @Test
  void of_those_that_overlap_in_one_turn_the_first_fires() {
    Builder skip = every(60).overlap(Overlap.SKIP).catchUp(CatchUp.ALL);

    ScheduleChange change =
        fire(skip, stored(skip, NOON), NOON.plusSeconds(130), MessageState.SETTLED);

    assertThat(ids(change)).containsExactly("s@2027-01-01T12:00:00Z");
    assertThat(change.schedule().skipped()).isEqualTo(2);
  }

  @Test
  void ends_after_so_many_times() {
    Builder twice = every(2).times(2);

    ScheduleChange change = fire(twice, stored(twice, NOON), NOON, null);

    assertThat(ids(change)).hasSize(2);
    assertThat(change.schedule().nextAt()).isNull();
  }

  @Test
  void a_pause_that_is_over_has_swallowed_what_lay_in_it() {
    ScheduleDraft draft = new ScheduleDraft(stored(every(60), NOON));
    draft.pausedAt = NOON.minusSeconds(1);
    draft.pausedUntil = NOON.plusSeconds(180);
    draft.note = "holidays";

    assertThat(fire(every(60), draft.toStored(), NOON.plusSeconds(179), null).schedule())
        .isEqualTo(draft.toStored());
    ScheduleChange change = fire(every(60), draft.toStored(), NOON.plusSeconds(181), null);
    assertThat(ids(change)).containsExactly("s@2027-01-01T12:03:00Z");
    assertThat(change.schedule().missed()).isZero();
    assertThat(change.schedule().pausedAt()).isNull();
    assertThat(change.schedule().note()).isNull();
  }

  @Test
  void jitter_makes_it_later_and_keeps_the_instant_in_id_and_header() {
    Builder jittered = every(60).jitter(Duration.ofSeconds(50));

    ScheduledMessage row = fire(jittered, stored(jittered, NOON), NOON, null).insert().get(0);

    assertThat(row.key().id()).isEqualTo("s@2027-01-01T12:00:00Z");
    assertThat(row.deliverAt()).isEqualTo(jittered.build().deliverAt(NOON)).isAfter(NOON);
  }

  @Test
  void a_rule_that_throws_fires_what_is_due_once_and_fails_then_until_it_tells_again() {
    Schedule throwing = throwing();
    boolean[] mended = {false};
    FiringRule broken =
        new FiringRule(
            MemoryScheduleStore.occurrenceRows(),
            stored -> mended[0] ? every(60).build() : throwing);
    StoredSchedule due = stored(every(60), NOON);

    ScheduleChange change = broken.fire(new FoundSchedule(due, NOON, null, List.of()));

    assertThat(ids(change)).containsExactly("s@2027-01-01T12:00:00Z");
    StoredSchedule after = change.schedule();
    assertThat(after.fired()).isEqualTo(1);
    assertThat(after.nextAt()).isEqualTo(NOON);
    assertThat(after.problem())
        .startsWith("cron '0 0 9 31W 2-12 *' tells no time after 2027-01-01T12");
    FoundSchedule again = new FoundSchedule(after, NOON.plusSeconds(61), null, List.of());
    assertThatThrownBy(() -> broken.fire(again))
        .isInstanceOf(ImpossibleScheduleException.class)
        .hasMessage("schedule 's': " + after.problem());
    mended[0] = true;
    ScheduleChange mendedChange = broken.fire(again);
    assertThat(ids(mendedChange)).containsExactly("s@2027-01-01T12:01:00Z");
    assertThat(mendedChange.schedule().problem()).isNull();
    assertThat(mendedChange.schedule().fired()).isEqualTo(2);
  }

  /** As the cron library has it. */
  private static Schedule throwing() {
    return Schedule.named("s")
        .route("reports")
        .rule("0 0 9 31W 2-12 *", CronRule.bare("0 0 9 31W 2-12 *"))
        .build();
  }

  @Test
  void a_route_that_does_not_do_is_named() {
    refused(every(60).route("gone"), "schedule 's': there is no route 'gone'; configured: [");
    refused(every(60).route("untracked"), "schedule 's': route 'untracked' is not tracked; set");
    refused(every(60).route("any-key"), "schedule 's': route 'any-key' is for any routing-key;");
    refused(
        every(60).route("any-key").routingKey("k").overlap(Overlap.SKIP),
        "schedule 's': overlap: skip needs to know when a message is settled;");
  }

  private void refused(Builder schedule, String message) {
    assertThatThrownBy(() -> fire(schedule, stored(schedule, NOON), NOON, null))
        .isInstanceOf(ImpossibleScheduleException.class)
        .hasMessageStartingWith(message);
  }

  private ScheduleChange fire(
      Builder schedule, StoredSchedule stored, Instant now, @Nullable MessageState last) {
    assertThat(stored.definition()).isEqualTo(schedule.build().definition());
    return rule.fire(new FoundSchedule(stored, now, last, List.of()));
  }

  private static Builder every(int seconds) {
    return Schedule.named("s").route("reports").every(Duration.ofSeconds(seconds));
  }

  private static StoredSchedule stored(Builder schedule, Instant nextAt) {
    ScheduleDraft draft = ScheduleDraft.fresh("s", NOON.minusSeconds(3_600));
    draft.version = 1;
    draft.definition = schedule.build().definition();
    draft.payload = schedule.build().payload();
    draft.nextAt = nextAt;
    return draft.toStored();
  }

  private static List<String> ids(ScheduleChange change) {
    return change.insert().stream().map(row -> row.key().id()).toList();
  }
}
