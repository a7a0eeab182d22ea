// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A stored schedule while it is being changed. */
final class ScheduleDraft {
  private final StoredSchedule old;
  @Nullable String owner;
  long version;
  String definition;
  @Nullable Instant nextAt;
  @Nullable Instant lastAt;
  @Nullable MessageKey lastKey;
  long fired;
  long missed;
  long skipped;
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
    nextAt = old.nextAt();
    lastAt = old.lastAt();
    lastKey = old.lastKey();
    fired = old.fired();
    missed = old.missed();
    skipped = old.skipped();
    pausedAt = old.pausedAt();
    pausedUntil = old.pausedUntil();
    note = old.note();
    orphaned = old.orphaned();
    changedBy = old.changedBy();
    updatedAt = old.updatedAt();
  }

  /** One that has never fired. */
  static ScheduleDraft fresh(String name, Instant now) {
    return new ScheduleDraft(
        new StoredSchedule(
            name, null, 0, "", null, null, null, 0, 0, 0, null, null, null, false, null, now, now));
  }

  /** Notes who changes it. */
  ScheduleDraft by(@Nullable String actor, Instant now) {
    changedBy = actor;
    updatedAt = now;
    return this;
  }

  /** Goes on from an instant, the next occurrence after which is the next to fire. */
  void goOn(Schedule schedule, Instant after) {
    nextAt = finished(schedule) ? null : schedule.recurrence().next(after).orElse(null);
  }

  /** Whether it has had all occurrences that it may have. */
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
        nextAt,
        lastAt,
        lastKey,
        fired,
        missed,
        skipped,
        pausedAt,
        pausedUntil,
        note,
        orphaned,
        changedBy,
        old.createdAt(),
        updatedAt);
  }
}
