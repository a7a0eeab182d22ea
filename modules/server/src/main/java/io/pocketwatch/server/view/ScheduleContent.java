// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.schedule.Recurrence;
import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.ScheduleView;
import io.pocketwatch.schedule.Schedules.Occurrences;
import io.pocketwatch.store.ScheduleStore.MessageMark;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Schedules and their occurrences, for JSON; absent values are left out. */
public final class ScheduleContent {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");
  private static final Pattern DASH = Pattern.compile("-([a-z])");

  private ScheduleContent() {}

  /** How a field of JSON is called in YAML: {@code catchUp} is {@code catch-up}. */
  public static String keyOfYaml(String field) {
    return CAPITAL.matcher(field).replaceAll(found -> "-" + found.group().toLowerCase(Locale.ROOT));
  }

  /** How a key of YAML is called in JSON. */
  public static String fieldOfJson(String key) {
    return DASH.matcher(key).replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
  }

  /**
   * A schedule; without body and headers if it is from a list.
   *
   * @param now on the store's clock
   * @param failing why a runner cannot fire schedules, by name
   */
  public static Map<String, Object> of(
      ScheduleView view, Instant now, Map<String, String> failing) {
    StoredSchedule stored = view.stored();
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", stored.name());
    json.put("owner", stored.owner());
    json.put("version", stored.version());
    json.put("definition", definition(stored));
    json.put("words", view.schedule() == null ? null : words(view.schedule().recurrence()));
    json.put("state", state(view, failing));
    json.put("reason", reason(view, failing));
    json.put(
        "nextAt",
        view.ended() || view.paused() || stored.problem() != null ? null : stored.nextAt());
    json.put("lastAt", stored.lastAt());
    json.put("fired", stored.fired());
    json.put("missed", stored.missed());
    json.put("skipped", stored.skipped());
    json.put("pausedAt", stored.pausedAt());
    json.put("pausedUntil", stored.pausedUntil());
    json.put("note", stored.note());
    json.put("late", view.late(now));
    json.put("changedBy", stored.changedBy());
    json.put("createdAt", stored.createdAt());
    json.put("updatedAt", stored.updatedAt());
    return present(json);
  }

  /** One word: orphaned, paused, failing, ended or active. */
  public static String state(ScheduleView view, Map<String, String> failing) {
    if (view.stored().orphaned()) {
      return "orphaned";
    }
    if (view.paused()) {
      return "paused";
    }
    if (reason(view, failing) != null) {
      return "failing";
    }
    return view.ended() ? "ended" : "active";
  }

  private static @Nullable String reason(ScheduleView view, Map<String, String> failing) {
    return view.problem() == null ? failing.get(view.stored().name()) : view.problem();
  }

  /** A rule in words, by language. */
  public static Map<String, String> words(Recurrence recurrence) {
    Map<String, String> words = new LinkedHashMap<>();
    words.put("en", recurrence.describe(Locale.ENGLISH));
    words.put("zh", recurrence.describe(Locale.CHINESE));
    return words;
  }

  /** The next and the past occurrences. */
  public static Map<String, Object> of(Occurrences occurrences, Schedule schedule) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("next", occurrences.next().stream().map(each -> toCome(each, schedule)).toList());
    json.put("past", occurrences.past().stream().map(each -> past(each, schedule.name())).toList());
    return json;
  }

  private static Map<String, Object> toCome(Occurrence occurrence, Schedule schedule) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("nominal", occurrence.at());
    json.put("deliverAt", schedule.deliverAt(occurrence.at()));
    json.put("remark", occurrence.remark());
    return present(json);
  }

  private static Map<String, Object> past(MessageMark row, String name) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("id", row.key().id());
    json.put("nominal", nominal(row, name));
    json.put("deliverAt", row.deliverAt());
    json.put("state", row.state());
    json.put("lateMillis", lateness(row).map(Duration::toMillis).orElse(null));
    return present(json);
  }

  /** How long after its instant a message was settled; empty if it is not. */
  public static Optional<Duration> lateness(MessageMark row) {
    return row.state() == MessageState.SETTLED
        ? Optional.of(Duration.between(row.deliverAt(), row.updatedAt()))
        : Optional.empty();
  }

  /** The instant in the id of an occurrence; for a run by hand, when it was put in. */
  static Instant nominal(MessageMark row, String name) {
    try {
      return Instant.parse(row.key().id().substring(name.length() + 1));
    } catch (DateTimeException e) {
      return row.createdAt();
    }
  }

  /** The next occurrences of a schedule that need not be stored. */
  public static List<Map<String, Object>> preview(List<Occurrence> occurrences) {
    return occurrences.stream()
        .map(
            each -> {
              Map<String, @Nullable Object> json = new LinkedHashMap<>();
              json.put("nominal", each.at());
              json.put("local", each.local().toOffsetDateTime().toString());
              json.put("remark", each.remark());
              return present(json);
            })
        .toList();
  }

  /** The stored definition with the names of JSON; null if it is not valid JSON. */
  private static @Nullable Map<String, JsonNode> definition(StoredSchedule stored) {
    try {
      Map<String, JsonNode> json = new LinkedHashMap<>();
      String payload = Objects.requireNonNullElse(stored.payload(), "{}");
      for (String part : List.of(stored.definition(), payload)) {
        for (Map.Entry<String, JsonNode> each : MAPPER.readTree(part).properties()) {
          json.put(
              each.getKey().equals("body") ? "bodyText" : fieldOfJson(each.getKey()),
              each.getValue());
        }
      }
      return json;
    } catch (JsonProcessingException e) { // the problem is in the view
      return null;
    }
  }

  private static Map<String, Object> present(Map<String, @Nullable Object> json) {
    json.values().removeIf(Objects::isNull);
    return json;
  }
}
