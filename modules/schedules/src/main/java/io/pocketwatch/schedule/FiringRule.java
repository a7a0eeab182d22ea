// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.schedule.OccurrenceRows.Rows;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.schedule.ScheduleDraft.Following;
import io.pocketwatch.schedule.ScheduleException.ImpossibleScheduleException;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides from a stored schedule and the store's time which rows, counts and next instant follow.
 * No I/O and no side effect: a store may call it again.
 */
final class FiringRule {
  /** How long before they are due rows are made. */
  static final Duration AHEAD = Duration.ofSeconds(10);

  /** An occurrence overdue for longer was missed; {@code catch-up} says whether it fires. */
  static final Duration ON_TIME = Duration.ofSeconds(10);

  private static final int MOST_ROWS = 100;

  /** How many are looked at in one transaction; the rest follows in the next. */
  private static final int MOST_OCCURRENCES = 2_000;

  private final OccurrenceRows rows;
  private final Function<StoredSchedule, Schedule> definitions;

  FiringRule(OccurrenceRows rows) {
    this(rows, Schedules::definition);
  }

  FiringRule(OccurrenceRows rows, Function<StoredSchedule, Schedule> definitions) {
    this.rows = rows;
    this.definitions = definitions;
  }

  /** What a runner does with a schedule. */
  ScheduleChange fire(FoundSchedule found) {
    StoredSchedule stored = found.schedule();
    if (stored == null) {
      return ScheduleChange.none(null);
    }
    ScheduleDraft draft = new ScheduleDraft(stored);
    Schedule schedule = definitions.apply(stored);
    if (stored.problem() != null && stored.pausedAt() == null) {
      draft.goOn(schedule, Objects.requireNonNull(stored.nextAt()));
      if (draft.problem != null) {
        throw new ImpossibleScheduleException(stored.name(), draft.problem);
      }
    }
    // With skip it is decided when due: until then the occurrence before may be settled.
    Duration ahead = schedule.overlap() == Overlap.SKIP ? Duration.ZERO : AHEAD;
    Turn turn = new Turn(schedule, draft, found, rows.rows(schedule));
    return turn.go(found.now().plus(ahead)).change();
  }

  /**
   * Fires or counts occurrences due until now, before another definition applies. Those that can no
   * longer be sent are missed.
   */
  Due due(FoundSchedule found) {
    StoredSchedule stored = Objects.requireNonNull(found.schedule());
    Schedule schedule = Schedules.view(stored).schedule();
    if (schedule == null || stored.problem() != null) {
      return missed(stored, schedule, found.now());
    }
    try {
      Rows ready = rows.rows(schedule);
      return new Turn(schedule, new ScheduleDraft(stored), found, ready).go(found.now());
    } catch (RuntimeException e) { // say its route is gone from the configuration
      return new Turn(schedule, new ScheduleDraft(stored), found, null).go(found.now());
    }
  }

  /** Of a rule that cannot be read, only the next instant is known. */
  private static Due missed(StoredSchedule stored, @Nullable Schedule schedule, Instant now) {
    ScheduleDraft draft = new ScheduleDraft(stored);
    Instant next = stored.nextAt();
    boolean overdue = next != null && !next.isAfter(now) && stored.pausedAt() == null;
    if (schedule == null && stored.problem() == null && overdue) {
      draft.missed++;
      draft.nextAt = null;
    }
    return new Due(draft, List.of(), false);
  }

  /** The rows of occurrences that are still to come, the last first. */
  static List<MessageKey> ahead(ScheduleDraft draft, Schedule schedule, Instant now) {
    List<MessageKey> keys = new ArrayList<>();
    for (Instant each : instantsAhead(draft, schedule, now)) {
      keys.add(0, new MessageKey(schedule.route(), schedule.id(each)));
    }
    return keys;
  }

  /** Leaves out what the definition before could not take back. */
  private static List<Instant> instantsAhead(ScheduleDraft draft, Schedule schedule, Instant now) {
    List<Instant> ahead = new ArrayList<>();
    Instant last = draft.lastAt;
    Instant each = last == null ? null : Following.of(schedule, draft.countsAfter(now)).at();
    while (each != null && !each.isAfter(last)) {
      ahead.add(each);
      each = Following.of(schedule, each).at();
    }
    return ahead;
  }

  /**
   * Uncounts withdrawn rows, which have not fired. The others are sent, so the old definition
   * applies up to the last of them.
   */
  static void takeOff(ScheduleDraft draft, Schedule schedule, FoundSchedule found) {
    int withdrawn = found.withdrawn().size();
    if (withdrawn == 0) {
      return;
    }
    Instant now = found.now();
    List<Instant> ahead = instantsAhead(draft, schedule, now);
    Instant from = draft.countsAfter(now);
    Instant last =
        withdrawn < ahead.size()
            ? ahead.get(ahead.size() - withdrawn - 1)
            : from.isAfter(now) ? from : lastUntil(draft, schedule, now);
    draft.fired -= withdrawn;
    draft.lastAt = last;
    draft.lastKey = last == null ? null : new MessageKey(schedule.route(), schedule.id(last));
    draft.goOn(schedule, now);
  }

  private static @Nullable Instant lastUntil(ScheduleDraft draft, Schedule schedule, Instant now) {
    Instant from = draft.countsFrom == null ? draft.createdAt() : draft.countsFrom;
    return schedule.recurrence().last(from, now).orElse(null);
  }

  /**
   * The occurrences due until now.
   *
   * @param draft the schedule with the new counts
   * @param insert the rows of those that fire
   * @param more whether there is more than fits into one turn
   */
  record Due(ScheduleDraft draft, List<ScheduledMessage> insert, boolean more) {
    ScheduleChange change() {
      return new ScheduleChange(draft.toStored(), insert);
    }
  }

  /** One schedule's turn. */
  private static final class Turn {
    private final Schedule schedule;
    private final ScheduleDraft draft;
    private final FoundSchedule found;
    private final @Nullable Rows rows;
    private final Instant now;
    private final Instant missedBefore;
    private final List<ScheduledMessage> insert = new ArrayList<>();

    /**
     * @param rows null if it can send nothing
     */
    Turn(Schedule schedule, ScheduleDraft draft, FoundSchedule found, @Nullable Rows rows) {
      this.schedule = schedule;
      this.draft = draft;
      this.found = found;
      this.rows = rows;
      this.now = found.now();
      this.missedBefore = now.minus(ON_TIME);
    }

    Due go(Instant until) {
      if (draft.pausedAt != null) {
        if (draft.pausedUntil == null || now.isBefore(draft.pausedUntil)) {
          return new Due(draft, insert, false);
        }
        Instant paused = draft.pausedUntil;
        draft.unpause();
        draft.goOn(schedule, paused.minusNanos(1));
      }
      for (int i = 0; i < MOST_OCCURRENCES && insert.size() < MOST_ROWS; i++) {
        Instant occurrence = draft.nextAt;
        if (occurrence == null || occurrence.isAfter(until) || draft.problem != null) {
          return new Due(draft, insert, false);
        }
        Following following = Following.of(schedule, occurrence);
        if (rows == null || occurrence.isBefore(missedBefore) && !caughtUp(occurrence, following)) {
          draft.missed++;
        } else if (schedule.overlap() == Overlap.SKIP && underWay()) {
          draft.skipped++;
        } else {
          fire(rows, occurrence);
        }
        draft.goOn(schedule, occurrence, following);
      }
      return new Due(draft, insert, true);
    }

    private boolean caughtUp(Instant occurrence, Following following) {
      if (schedule.catchUp() == CatchUp.NONE
          || occurrence.isBefore(now.minus(schedule.catchUpWindow()))) {
        return false;
      }
      return schedule.catchUp() == CatchUp.ALL
          || following.at() == null
          || !following.at().isBefore(missedBefore);
    }

    private boolean underWay() {
      return !insert.isEmpty() || found.last() != null && !found.last().finished();
    }

    private void fire(Rows ready, Instant occurrence) {
      Instant due = schedule.deliverAt(occurrence);
      // Recovery would take a message that was due long ago for lost.
      Instant deliverAt = due.isBefore(missedBefore) ? now : due;
      ScheduledMessage row = ready.row(schedule.id(occurrence), occurrence, deliverAt);
      insert.add(row);
      draft.fired++;
      draft.lastAt = occurrence;
      draft.lastKey = row.key();
    }
  }
}
