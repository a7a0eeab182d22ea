// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.schedule.Schedule.Gap;
import io.pocketwatch.schedule.Schedule.Repeated;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which a schedule recurs: it gives the next instant after an instant, and what
 * daylight saving did to it. Ignores pauses and counts. Immutable, thread-safe and without I/O.
 *
 * <p>A cron expression is read on the wall clock. By default, a time that does not exist moves to
 * the end of the gap, and two that meet there are one. A time that exists twice fires the first
 * time. If the hours are {@code *} or have a step, it fires both times; if they are {@code *},
 * nothing moves in a gap of whole hours.
 */
public final class Recurrence {
  /** Nothing recurs from this instant on. */
  static final Instant END = Instant.parse("2100-01-01T00:00:00Z");

  private final @Nullable CronRule cron;
  private final long every;
  private final long anchor;
  private final ZoneId zone;
  private final @Nullable Instant starts;
  private final @Nullable Instant ends;
  private final boolean shift;
  private final boolean both;

  Recurrence(Schedule schedule) {
    zone = schedule.zone();
    starts = schedule.starts() == null ? null : schedule.starts().atZone(zone).toInstant();
    ends = schedule.ends() == null ? null : schedule.ends().atZone(zone).toInstant();
    cron = schedule.rule();
    every = schedule.every() == null ? 0 : schedule.every().toSeconds();
    anchor = starts == null ? 0 : starts.getEpochSecond();
    shift = schedule.gap() == Gap.SHIFT;
    both = schedule.repeated() == Repeated.BOTH || cron != null && cron.elapsed();
  }

  /** The first occurrence later than an instant, in whole seconds; empty if there is none. */
  public Optional<Instant> next(Instant after) {
    return Optional.ofNullable(occurrence(after)).map(Occurrence::at);
  }

  /**
   * The first occurrences later than an instant.
   *
   * @param count at most so many, 0 or more
   */
  public List<Occurrence> next(Instant after, int count) {
    List<Occurrence> found = new ArrayList<>();
    Occurrence each = count > 0 ? occurrence(after) : null;
    while (each != null) {
      found.add(each);
      each = found.size() < count ? occurrence(each.at()) : null;
    }
    return found;
  }

  /**
   * The last occurrence up to {@code until}. Looks back twice as far in each step.
   *
   * @param from only what is later than it
   */
  Optional<Instant> last(Instant from, Instant until) {
    for (long back = 1; ; back *= 2) {
      Instant after = until.minusSeconds(back).isBefore(from) ? from : until.minusSeconds(back);
      Instant last = null;
      for (Instant at = next(after).orElse(null);
          at != null && !at.isAfter(until);
          at = next(at).orElse(null)) {
        last = at;
      }
      if (last != null || after.equals(from)) {
        return Optional.ofNullable(last);
      }
    }
  }

  /** The rule in words: in Chinese if the locale is Chinese, else in English. */
  public String describe(Locale locale) {
    boolean chinese = locale.getLanguage().equals(Locale.CHINESE.getLanguage());
    if (cron == null) {
      String interval = DurationText.format(Duration.ofSeconds(every));
      return chinese ? "每 " + interval : "every " + interval;
    }
    return cron.words(chinese ? Locale.CHINESE : Locale.ENGLISH);
  }

  private @Nullable Occurrence occurrence(Instant after) {
    Instant from = starts != null && after.isBefore(starts) ? starts.minusNanos(1) : after;
    if (!from.isBefore(END)) {
      return null;
    }
    Occurrence found = cron == null ? byInterval(from) : byCron(cron, from);
    boolean over =
        found != null && (!found.at().isBefore(END) || ends != null && found.at().isAfter(ends));
    return over ? null : found;
  }

  private Occurrence byInterval(Instant after) {
    long count = Math.floorDiv(after.getEpochSecond() - anchor, every) + 1;
    return plain(Instant.ofEpochSecond(anchor + count * every));
  }

  /** Looks at each stretch between two changes of the offset: there the wall clock just runs. */
  private @Nullable Occurrence byCron(CronRule rule, Instant after) {
    ZoneRules rules = zone.getRules();
    LocalDateTime local = null;
    for (Instant at = after; at.isBefore(END); ) {
      ZoneOffset offset = rules.getOffset(at);
      ZoneOffsetTransition begin = rules.previousTransition(at.plusNanos(1));
      ZoneOffsetTransition end = rules.nextTransition(at);
      if (local == null) {
        local = rule.after(start(at, offset, begin));
        if (local == null) {
          return null;
        }
      }
      if (end == null || local.toInstant(offset).isBefore(end.getInstant())) {
        return onTheWall(local, offset, begin, end);
      }
      Occurrence changed = atChange(rule, end);
      if (changed != null) {
        return changed;
      }
      boolean stays = local.isAfter(end.getDateTimeAfter()) && !(end.isOverlap() && both);
      local = stays ? local : null;
      at = end.getInstant();
    }
    return null;
  }

  /** Leaves out what is repeated after a change, unless both times are asked for. */
  private LocalDateTime start(Instant at, ZoneOffset offset, @Nullable ZoneOffsetTransition begin) {
    LocalDateTime local = LocalDateTime.ofInstant(at, offset);
    if (begin == null || both || !begin.isOverlap() || !local.isBefore(begin.getDateTimeBefore())) {
      return local;
    }
    return justBefore(begin.getDateTimeBefore());
  }

  private Occurrence onTheWall(
      LocalDateTime local,
      ZoneOffset offset,
      @Nullable ZoneOffsetTransition begin,
      @Nullable ZoneOffsetTransition end) {
    Instant at = local.toInstant(offset);
    if (begin != null && begin.isOverlap() && local.isBefore(begin.getDateTimeBefore())) {
      return new Occurrence(at, at.atZone(zone), Saving.SECOND_OF_TWO, null);
    }
    if (end != null && end.isOverlap() && !local.isBefore(end.getDateTimeAfter())) {
      return new Occurrence(at, at.atZone(zone), Saving.FIRST_OF_TWO, null);
    }
    return plain(at);
  }

  /** The occurrence at the very instant of a change, if any. */
  private @Nullable Occurrence atChange(CronRule rule, ZoneOffsetTransition change) {
    LocalDateTime after = change.getDateTimeAfter();
    Instant at = change.getInstant();
    boolean named = after.equals(rule.after(justBefore(after)));
    if (change.isOverlap()) {
      return named && both ? new Occurrence(at, at.atZone(zone), Saving.SECOND_OF_TWO, null) : null;
    }
    if (named) {
      return plain(at);
    }
    LocalDateTime missing = rule.after(justBefore(change.getDateTimeBefore()));
    boolean moves = shift && !(rule.everyHour() && change.getDuration().toMinutes() % 60 == 0);
    return moves && missing != null && missing.isBefore(after)
        ? new Occurrence(at, at.atZone(zone), Saving.MOVED, missing)
        : null;
  }

  private static LocalDateTime justBefore(LocalDateTime time) {
    return time.minusSeconds(1);
  }

  private Occurrence plain(Instant at) {
    return new Occurrence(at, at.atZone(zone), Saving.NONE, null);
  }

  /** What daylight saving did to an occurrence. */
  public enum Saving {
    NONE,
    /** Its time of day does not exist on that day. */
    MOVED,
    FIRST_OF_TWO,
    SECOND_OF_TWO
  }

  /**
   * One occurrence.
   *
   * @param at the instant
   * @param local the same instant in the schedule's zone
   * @param saving what daylight saving did to it
   * @param movedFrom the time that does not exist, if it was moved; else null
   */
  public record Occurrence(
      Instant at, ZonedDateTime local, Saving saving, @Nullable LocalDateTime movedFrom) {

    /** In words what daylight saving did, or null if nothing. */
    public @Nullable String remark() {
      return switch (saving) {
        case NONE -> null;
        case MOVED -> "moved by daylight saving from " + time();
        case FIRST_OF_TWO -> "exists twice, the first";
        case SECOND_OF_TWO -> "exists twice, the second";
      };
    }

    private String time() {
      return movedFrom == null ? "" : movedFrom.toLocalTime().toString();
    }
  }
}
