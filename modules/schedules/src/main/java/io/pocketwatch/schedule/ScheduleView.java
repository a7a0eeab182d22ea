// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.schedule.ScheduleDraft.Following;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was when read.
 *
 * @param stored its place in the store: next instant, counts, pause
 * @param schedule its definition, or null if it cannot be read; in a list without body and headers
 * @param problem why it cannot be read, or its rule gives no next instant; or null
 */
public record ScheduleView(
    StoredSchedule stored, @Nullable Schedule schedule, @Nullable String problem) {

  /** Whether it is paused, by a caller or because it is gone from YAML. */
  public boolean paused() {
    return stored.pausedAt() != null;
  }

  /** Whether it fires no more: its end has come, or it has had all its occurrences. */
  public boolean ended() {
    return stored.nextAt() == null;
  }

  /** How long ago its next occurrence should have fired; zero if it is paused, or not yet due. */
  public Duration lag(Instant now) {
    Instant next = stored.nextAt();
    return paused() || next == null || next.isAfter(now)
        ? Duration.ZERO
        : Duration.between(next, now);
  }

  /**
   * Whether it has not fired for two intervals, and for 10 s at least: a person should look. A
   * paused schedule is not late.
   */
  public boolean late(Instant now) {
    Instant next = stored.nextAt();
    if (lag(now).compareTo(FiringRule.ON_TIME) < 0 || next == null) {
      return false;
    }
    if (schedule == null || problem != null) {
      return true;
    }
    Following first = Following.of(schedule, next);
    Following second = first.at() == null ? first : Following.of(schedule, first.at());
    return second.at() == null || !second.at().isAfter(now);
  }
}
