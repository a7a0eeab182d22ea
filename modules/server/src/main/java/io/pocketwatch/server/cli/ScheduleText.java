// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.ScheduleView;
import io.pocketwatch.schedule.Schedules.Occurrences;
import io.pocketwatch.screen.TextTable;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.view.ScheduleContent;
import io.pocketwatch.server.view.TimeText;
import io.pocketwatch.store.ScheduleStore.MessageMark;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Prints schedules for people. */
final class ScheduleText {
  private static final int WORD_CHARS = 40;

  private ScheduleText() {}

  static List<String> table(List<ScheduleView> all, Instant now) {
    TextTable table =
        TextTable.ofWords(
            "name", "state", "rule", "zone", "next", "", "fired", "missed", "skipped");
    for (ScheduleView each : all) {
      StoredSchedule stored = each.stored();
      Schedule schedule = each.schedule();
      Instant next = each.paused() ? null : stored.nextAt();
      table.row(
          Visible.brief(stored.name(), WORD_CHARS),
          state(each, now),
          schedule == null ? "-" : Visible.brief(rule(schedule), WORD_CHARS),
          schedule == null ? "-" : schedule.zone().getId(),
          next == null ? "-" : TimeText.show(next),
          next == null ? "" : TimeText.relative(next, now),
          Long.toString(stored.fired()),
          Long.toString(stored.missed()),
          Long.toString(stored.skipped()));
    }
    return table.lines();
  }

  private static String state(ScheduleView view, Instant now) {
    return ScheduleContent.state(view, Map.of()) + (view.late(now) ? ", late" : "");
  }

  private static String rule(Schedule schedule) {
    return schedule.every() == null
        ? String.valueOf(schedule.cron())
        : "every " + DurationText.format(schedule.every());
  }

  static String words(Schedule schedule) {
    return schedule.recurrence().describe(Locale.ENGLISH);
  }

  static List<String> facts(ScheduleView view, Occurrences around, Instant now) {
    StoredSchedule stored = view.stored();
    Schedule schedule = view.schedule();
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("name", stored.name());
    facts.put("state", state(view, now));
    facts.put("reason", view.problem());
    facts.put("note", stored.note());
    facts.put("paused until", stored.pausedUntil());
    facts.put("owner", stored.owner() == null ? "API" : stored.owner());
    facts.put("version", stored.version());
    if (schedule != null) {
      facts.put("rule", rule(schedule));
      facts.put("in words", words(schedule));
      facts.put("zone", schedule.zone());
      facts.put("route", schedule.route());
      facts.put("body", schedule.body().length + " bytes");
    }
    facts.put("last", stored.lastAt());
    facts.put(
        "counts",
        "%s fired, %s missed, %s skipped"
            .formatted(stored.fired(), stored.missed(), stored.skipped()));
    facts.put("changed by", stored.changedBy());
    facts.put("changed", stored.updatedAt());
    List<String> lines = new ArrayList<>(KeyValueTable.lines("", facts, now));
    if (schedule != null && !around.next().isEmpty()) {
      lines.add("");
      lines.addAll(next(schedule, around.next(), now));
    }
    if (!around.past().isEmpty()) {
      lines.add("");
      lines.addAll(past(around.past()));
    }
    return lines;
  }

  static List<String> next(Schedule schedule, List<Occurrence> occurrences, Instant now) {
    TextTable table = TextTable.ofWords("next", "in " + schedule.zone(), "", "");
    for (Occurrence each : occurrences) {
      table.row(
          TimeText.show(each.at()),
          each.local().toLocalDateTime().toString(),
          TimeText.relative(each.at(), now),
          Objects.requireNonNullElse(each.remark(), ""));
    }
    return table.lines();
  }

  private static List<String> past(List<MessageMark> rows) {
    TextTable table = TextTable.ofWords("past", "state", "settled after", "id");
    for (MessageMark each : rows) {
      table.row(
          TimeText.show(each.deliverAt()),
          each.state().name(),
          ScheduleContent.lateness(each).map(Duration::toMillis).map(ms -> ms + " ms").orElse("-"),
          Visible.brief(each.key().id(), WORD_CHARS));
    }
    return table.lines();
  }
}
