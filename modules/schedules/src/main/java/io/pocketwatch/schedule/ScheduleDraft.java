// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A stored schedule while it is being changed. */
final class ScheduleDraft {
  private static final int MOST_WORDS = 500;

  private final StoredSchedule old;
  @Nullable String owner;
  long version;
  String definition;
  @Nullable String payload;
  @Nullable Instant nextAt;
  @Nullable Instant countsFrom;
  @Nullable Instant lastAt;
  @Nullable MessageKey lastKey;
  long fired;
  long missed;
  long skipped;
  @Nullable String problem;
  @Nullable Instant pausedAt;
  @Nullable Instant pausedUntil;
  @Nullable String note;
  boolean orphaned;
  @Nullable String changedBy;
  Instant updatedAt;

  ScheduleDraft(StoredSchedule old) {
    this.old = old;
    owner = old.owner();
    version = old.version();
    definition = old.definition();
    payload = old.payload();
    nextAt = old.nextAt();
    countsFrom = old.countsFrom();
    lastAt = old.lastAt();
    lastKey = old.lastKey();
    fired = old.fired();
    missed = old.missed();
    skipped = old.skipped();
    problem = old.problem();
    pausedAt = old.pausedAt();
    pausedUntil = old.pausedUntil();
    note = old.note();
    orphaned = old.orphaned();
    changedBy = old.changedBy();
    updatedAt = old.updatedAt();
  }

  /** The draft of a schedule that has never fired. */
  static ScheduleDraft fresh(String name, Instant now) {
    return new ScheduleDraft(
        new StoredSchedule(
            name, null, 0, "", null, null, null, null, null, 0, 0, 0, null, null, null, null, false,
            null, now, now));
  }

  /** The instant after which occurrences are this definition's. */
  Instant countsAfter(Instant now) {
    return countsFrom != null && countsFrom.isAfter(now) ? countsFrom : now;
  }

  Instant createdAt() {
    return old.createdAt();
  }

  /** Notes who changes the schedule, and when. */
  ScheduleDraft by(@Nullable String actor, Instant now) {
    changedBy = actor;
    updatedAt = now;
    return this;
  }

  /**
   * Goes on from an instant: the next occurrence after it is the next to fire. If the last one that
   * has fired is later, it goes on from that.
   */
  void goOn(Schedule schedule, Instant from) {
    Instant after = lastAt != null && lastAt.isAfter(from) ? lastAt : from;
    goOn(schedule, after, Following.of(schedule, after));
    countsFrom = after;
  }

  /** If the rule fails, the problem is noted, and {@code after} is kept as the next instant. */
  void goOn(Schedule schedule, Instant after, Following following) {
    boolean over = finished(schedule);
    problem = over ? null : following.problem();
    nextAt = over ? null : problem == null ? following.at() : after;
  }

  /** Whether it has had all its occurrences. */
  boolean finished(Schedule schedule) {
    Long times = schedule.times();
    return times != null && fired + missed + skipped >= times;
  }

  void unpause() {
    pausedAt = null;
    pausedUntil = null;
    note = null;
    orphaned = false;
  }

  StoredSchedule toStored() {
    return new StoredSchedule(
        old.name(),
        owner,
        version,
        definition,
        payload,
        nextAt,
        countsFrom,
        lastAt,
        lastKey,
        fired,
        missed,
        skipped,
        problem,
        pausedAt,
        pausedUntil,
        note,
        orphaned,
        changedBy,
        old.createdAt(),
        updatedAt);
  }

  /**
   * The next occurrence by a rule.
   *
   * @param at null if there is none, or the rule fails
   * @param problem why the rule fails, or null
   */
  record Following(@Nullable Instant at, @Nullable String problem) {
    static Following of(Schedule schedule, Instant after) {
      try {
        return new Following(schedule.recurrence().next(after).orElse(null), null);
      } catch (RuntimeException e) { // must not keep the occurrence before from firing
        String problem = ErrorWords.of(e).replace('\0', ' ');
        return new Following(null, problem.substring(0, Math.min(problem.length(), MOST_WORDS)));
      }
    }
  }
}
