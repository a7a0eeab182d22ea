// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.schedule.OccurrenceRows.Rows;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored schedule and the store's time become rows, counts and the next instant. No I/O and no
 * effect: a store may call it again.
 */
final class FiringRule {
  /** Rows are made so long before they are due. */
  static final Duration AHEAD = Duration.ofSeconds(10);

  /** What is due for longer was missed, and {@code catch-up} says whether it fires. */
  static final Duration ON_TIME = Duration.ofSeconds(10);

  private static final int MOST_ROWS = 100;

  /** Looked at in one transaction; the rest follows in the next. */
  private static final int MOST_OCCURRENCES = 2_000;

  private final OccurrenceRows rows;

  FiringRule(OccurrenceRows rows) {
    this.rows = rows;
  }

  /** What a runner does with a schedule. */
  ScheduleChange fire(FoundSchedule found) {
    StoredSchedule stored = found.schedule();
    if (stored == null) {
      return ScheduleChange.none(null);
    }
    ScheduleDraft draft = new ScheduleDraft(stored);
    Schedule schedule = Schedule.fromJson(stored.name(), stored.definition());
    if (draft.pausedAt != null) {
      if (draft.pausedUntil == null || found.now().isBefore(draft.pausedUntil)) {
        return ScheduleChange.none(stored);
      }
      Instant until = draft.pausedUntil;
      draft.unpause();
      draft.goOn(schedule, until.minusNanos(1));
    }
    return new Pass(schedule, draft, found, rows.rows(schedule)).fire();
  }

  /** Counts as missed what a runner should have fired before a pause or an edit. */
  static void missOverdue(ScheduleDraft draft, Schedule schedule, Instant now) {
    for (int i = 0; i < MOST_OCCURRENCES; i++) {
      Instant next = draft.nextAt;
      if (next == null || !next.isBefore(now.minus(ON_TIME))) {
        return;
      }
      draft.missed++;
      draft.goOn(schedule, next);
    }
  }

  /** The rows of occurrences that are still to come. */
  static List<MessageKey> ahead(StoredSchedule stored, Schedule schedule, Instant now) {
    List<MessageKey> keys = new ArrayList<>();
    Instant last = stored.lastAt();
    Instant each = last == null ? null : schedule.recurrence().next(now).orElse(null);
    while (each != null && !each.isAfter(last) && keys.size() < MOST_ROWS) {
      keys.add(new MessageKey(schedule.route(), schedule.id(each)));
      each = schedule.recurrence().next(each).orElse(null);
    }
    return keys;
  }

  /** One schedule's turn. */
  private static final class Pass {
    private final Schedule schedule;
    private final ScheduleDraft draft;
    private final FoundSchedule found;
    private final Rows rows;
    private final Instant now;
    private final Instant missedBefore;
    private final List<ScheduledMessage> insert = new ArrayList<>();

    Pass(Schedule schedule, ScheduleDraft draft, FoundSchedule found, Rows rows) {
      this.schedule = schedule;
      this.draft = draft;
      this.found = found;
      this.rows = rows;
      this.now = found.now();
      this.missedBefore = now.minus(ON_TIME);
    }

    ScheduleChange fire() {
      // One that may be skipped is decided on when it is due: the one before has till then to end.
      Instant until = schedule.overlap() == Overlap.SKIP ? now : now.plus(AHEAD);
      for (int i = 0; i < MOST_OCCURRENCES && insert.size() < MOST_ROWS; i++) {
        Instant occurrence = draft.nextAt;
        if (occurrence == null || occurrence.isAfter(until)) {
          break;
        }
        Instant following = schedule.recurrence().next(occurrence).orElse(null);
        // An edit or a resume goes back to now: what fired ahead of it counts once.
        boolean counted = draft.lastAt != null && !occurrence.isAfter(draft.lastAt);
        if (occurrence.isBefore(missedBefore) && !caughtUp(occurrence, following)) {
          draft.missed += counted ? 0 : 1;
        } else if (!counted && schedule.overlap() == Overlap.SKIP && underWay()) {
          draft.skipped++;
        } else {
          fire(occurrence, counted);
        }
        draft.nextAt = draft.finished(schedule) ? null : following;
      }
      return new ScheduleChange(draft.toStored(), insert, List.of());
    }

    private boolean caughtUp(Instant occurrence, @Nullable Instant following) {
      if (schedule.catchUp() == CatchUp.NONE
          || occurrence.isBefore(now.minus(schedule.catchUpWindow()))) {
        return false;
      }
      return schedule.catchUp() == CatchUp.ALL
          || following == null
          || !following.isBefore(missedBefore);
    }

    private boolean underWay() {
      return !insert.isEmpty() || found.last() != null && !found.last().finished();
    }

    private void fire(Instant occurrence, boolean counted) {
      Instant due = schedule.deliverAt(occurrence);
      // Recovery takes what was due long ago for lost.
      Instant deliverAt = due.isBefore(missedBefore) ? now : due;
      ScheduledMessage row = rows.row(schedule.id(occurrence), occurrence, deliverAt);
      insert.add(row);
      if (!counted) {
        draft.fired++;
        draft.lastAt = occurrence;
        draft.lastKey = row.key();
      }
    }
  }
}
