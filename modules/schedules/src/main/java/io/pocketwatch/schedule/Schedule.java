// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.Headers;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.config.YamlNode;
import io.pocketwatch.internal.base.DurationText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A recurring message, and when it recurs. Immutable; equal if name and definition are.
 *
 * <pre>{@code
 * Schedule.named("daily-report").cron("0 9 * * MON-FRI").zone(ZoneId.of("Europe/Berlin"))
 *     .route("reports").body(json).build()
 * }</pre>
 */
public final class Schedule {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final String NO_BODY = "body is null; for an empty body leave it out";
  static final int MAX_DEFINITION = 4_000;
  private static final int MAX_PAYLOAD = 1_000_000;
  private static final Duration LONGEST = Duration.ofDays(3650);

  private final Builder values;
  private final Recurrence recurrence;
  private final String definition;
  private final @Nullable String payload;

  private Schedule(Builder builder) {
    values = builder.copy();
    boolean both = values.cron != null && values.every != null;
    if (both || values.cron == null && values.every == null) {
      throw new IllegalArgumentException(
          both
              ? "schedule '%s' has both cron and every; leave one of them out".formatted(name())
              : "schedule '%s' needs one of cron and every".formatted(name()));
    }
    if (values.route.isEmpty()) {
      throw new IllegalArgumentException("schedule '" + name() + "' has no route");
    }
    LocalDateTime starts = values.starts;
    if (starts != null && values.ends != null && values.ends.isBefore(starts)) {
      throw new IllegalArgumentException(
          "schedule '%s' ends at %s, before it starts at %s"
              .formatted(name(), values.ends, starts));
    }
    recurrence = new Recurrence(this);
    definition = ScheduleJson.write(this);
    requireLength("its rule and target", definition, MAX_DEFINITION);
    payload = values.withoutPayload ? null : ScheduleJson.writePayload(values.body, values.headers);
    if (payload != null) {
      requireLength("its body and headers", payload, MAX_PAYLOAD);
    }
  }

  private void requireLength(String what, String json, int most) {
    if (json.length() > most) {
      throw new IllegalArgumentException(
          "schedule '%s': %s take %s characters in JSON; allowed: at most %s"
              .formatted(name(), what, json.length(), most));
    }
  }

  /**
   * A builder for a schedule of that name, which needs a rule and a route.
   *
   * @param name 1 to 100 letters of ASCII, digits, '.', '_' and '-'
   * @throws IllegalArgumentException if the name is not as above
   */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /**
   * Reads a definition in JSON, as {@link #toJson} writes it. Keys and values are those of YAML,
   * but without {@code file}.
   *
   * @throws InvalidConfigurationException naming the key and what is allowed
   * @throws IllegalArgumentException if the name is not allowed
   */
  public static Schedule fromJson(String name, String json) {
    Builder builder = named(name);
    return ScheduleJson.read(builder, YamlNode.json(json, "schedule '" + name + "'"), false);
  }

  /**
   * The definition without the name; the same text for the same definition.
   *
   * @throws IllegalStateException if it is one of {@link Schedules#list}
   */
  public String toJson() {
    String large = payload();
    return large.equals("{}")
        ? definition
        : definition.substring(0, definition.length() - 1) + "," + large.substring(1);
  }

  /** All but body and headers, in JSON. */
  String definition() {
    return definition;
  }

  /** Body and headers, in JSON. */
  String payload() {
    if (payload == null) {
      throw new IllegalStateException(
          "schedule '%s' was read without body and headers; ask for it by its name"
              .formatted(name()));
    }
    return payload;
  }

  /**
   * A builder with its values, for a schedule that differs.
   *
   * @throws IllegalStateException if it is one of {@link Schedules#list}
   */
  public Builder toBuilder() {
    payload(); // without it the new schedule would have no body
    return values.copy();
  }

  public String name() {
    return values.name;
  }

  public @Nullable String cron() {
    return values.cron;
  }

  public @Nullable Duration every() {
    return values.every;
  }

  public ZoneId zone() {
    return values.zone;
  }

  public @Nullable LocalDateTime starts() {
    return values.starts;
  }

  public @Nullable LocalDateTime ends() {
    return values.ends;
  }

  public @Nullable Long times() {
    return values.times;
  }

  public Duration jitter() {
    return values.jitter;
  }

  public CatchUp catchUp() {
    return values.catchUp;
  }

  public Duration catchUpWindow() {
    return values.catchUpWindow;
  }

  public Overlap overlap() {
    return values.overlap;
  }

  public Gap gap() {
    return values.gap;
  }

  public Repeated repeated() {
    return values.repeated;
  }

  public String route() {
    return values.route;
  }

  public @Nullable String exchange() {
    return values.exchange;
  }

  public @Nullable String routingKey() {
    return values.routingKey;
  }

  /**
   * The payload itself, not a copy: read it, do not write to it.
   *
   * @throws IllegalStateException if it is one of {@link Schedules#list}
   */
  public byte[] body() {
    payload();
    return values.body;
  }

  public @Nullable String contentType() {
    return values.contentType;
  }

  /**
   * Texts, longs and booleans by name.
   *
   * @throws IllegalStateException if it is one of {@link Schedules#list}
   */
  public Map<String, Object> headers() {
    payload();
    return Collections.unmodifiableMap(values.headers);
  }

  public @Nullable String businessKey() {
    return values.businessKey;
  }

  /** The rule by which it recurs. */
  public Recurrence recurrence() {
    return recurrence;
  }

  @Nullable CronRule rule() {
    return values.rule;
  }

  /** The id of an occurrence's message, which is also that of its row. */
  String id(Instant occurrence) {
    return name() + "@" + occurrence;
  }

  /** When an occurrence is due: later by a part of the jitter that its id decides. */
  public Instant deliverAt(Instant occurrence) {
    CRC32 hash = new CRC32();
    hash.update(id(occurrence).getBytes(StandardCharsets.UTF_8));
    return occurrence.plusMillis(hash.getValue() * (jitter().toMillis() + 1) >>> 32);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Schedule that
        && name().equals(that.name())
        && definition.equals(that.definition)
        && Objects.equals(payload, that.payload);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name(), definition, payload);
  }

  /** Names the rule, not the payload: schedules end up in logs. */
  @Override
  public String toString() {
    return "Schedule[name=%s, cron=%s, every=%s, zone=%s, route=%s]"
        .formatted(name(), cron(), every(), zone(), route());
  }

  /** Which occurrences that were not fired in time fire late. */
  public enum CatchUp {
    /** None. */
    NONE,
    /** The latest one, if it lies within the window. */
    LATEST,
    /** All that lie within the window. */
    ALL
  }

  /** Whether an occurrence fires while the one before is not settled. */
  public enum Overlap {
    /** It fires. */
    ALLOW,
    /** It is skipped. Decided when it is due, and not ahead: it may be two seconds late. */
    SKIP
  }

  /** What becomes of a time of day that does not exist, as clocks are put forward. */
  public enum Gap {
    /** It moves to the end of the gap. */
    SHIFT,
    /** It is left out. */
    SKIP
  }

  /** When a time of day fires that exists twice, as clocks are put back. */
  public enum Repeated {
    /** The first time; both times if the hours are {@code *} or have a step. */
    FIRST,
    /** Both times. */
    BOTH
  }

  /** Builds a schedule; parts that are not set keep their defaults. Not thread-safe. */
  public static final class Builder implements Cloneable {
    private final String name;
    private @Nullable String cron;
    private @Nullable CronRule rule;
    private @Nullable Duration every;
    private ZoneId zone = ZoneId.of("UTC");
    private @Nullable LocalDateTime starts;
    private @Nullable LocalDateTime ends;
    private @Nullable Long times;
    private Duration jitter = Duration.ZERO;
    private CatchUp catchUp = CatchUp.LATEST;
    private Duration catchUpWindow = Duration.ofHours(1);
    private Overlap overlap = Overlap.ALLOW;
    private Gap gap = Gap.SHIFT;
    private Repeated repeated = Repeated.FIRST;
    private String route = "";
    private @Nullable String exchange;
    private @Nullable String routingKey;
    private byte[] body = {};
    private @Nullable String contentType;
    private Map<String, Object> headers = new TreeMap<>();
    private @Nullable String businessKey;
    private boolean withoutPayload;

    private Builder(String name) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "'%s' is no name of a schedule; allowed: 1 to 100 letters, digits, '.', '_' and '-'"
                .formatted(name));
      }
      this.name = name;
    }

    /**
     * Fires by the wall clock of the zone. The five fields are minute, hour, day of the month,
     * month and day of the week; six begin with the second.
     *
     * <p>Where both days are given, five fields fire on either of them, as in a crontab. Six fire
     * on days that are both, as in Spring. Six also know {@code L}, {@code W}, {@code #} and {@code
     * ?}. {@code 15W} is the weekday nearest to the 15th, in the same month. A month without a 31st
     * has no {@code 31W}.
     *
     * @throws IllegalArgumentException if it is no such expression, or names no day that exists
     */
    public Builder cron(String cron) {
      return rule(cron, CronRule.of(cron));
    }

    /** An expression that was checked when it was put in. */
    Builder storedCron(String stored) {
      return rule(stored, CronRule.parse(stored));
    }

    Builder rule(String expression, CronRule parsed) {
      this.rule = parsed;
      this.cron = expression;
      return this;
    }

    /** Body and headers exist, but were not read. */
    void withoutPayload() {
      withoutPayload = true;
    }

    /**
     * Fires at a fixed interval, counted from {@code starts}, or else from the epoch.
     *
     * @param every whole seconds, 1 s to 3650 d
     */
    public Builder every(Duration every) {
      this.every = within("every", every, Duration.ofSeconds(1), LONGEST);
      if (every.getNano() != 0) {
        throw new IllegalArgumentException("every must be whole seconds, not " + every);
      }
      return this;
    }

    /**
     * The zone whose wall clock counts; UTC unless set.
     *
     * @param zone one of the tz database, such as {@code Europe/Berlin}; no mere offset
     */
    public Builder zone(ZoneId zone) {
      if (!ZoneId.getAvailableZoneIds().contains(zone.getId())) {
        throw new IllegalArgumentException(
            "'" + zone + "' is no zone of the tz database; write UTC or for example Europe/Berlin");
      }
      this.zone = zone;
      return this;
    }

    /** The earliest local time of an occurrence, in whole seconds, from 1970 to 9999. */
    public Builder starts(LocalDateTime starts) {
      this.starts = wholeSeconds("starts", starts);
      return this;
    }

    /** The latest local time of an occurrence, in whole seconds, from 1970 to 9999. */
    public Builder ends(LocalDateTime ends) {
      this.ends = wholeSeconds("ends", ends);
      return this;
    }

    /**
     * Ends the schedule after so many occurrences since it was first put in, missed and skipped
     * ones included.
     *
     * @param times 1 to 1,000,000,000
     */
    public Builder times(long times) {
      if (times < 1 || times > 1_000_000_000) {
        throw new IllegalArgumentException(
            "times is %s; allowed: 1 to 1000000000".formatted(times));
      }
      this.times = times;
      return this;
    }

    /**
     * Delays each occurrence by a part of the jitter that is always the same for that occurrence.
     *
     * @param jitter 0 s to 1 d
     */
    public Builder jitter(Duration jitter) {
      this.jitter = within("jitter", jitter, Duration.ZERO, Duration.ofDays(1));
      return this;
    }

    /** Which occurrences that were not fired in time fire late; {@code LATEST} unless set. */
    public Builder catchUp(CatchUp catchUp) {
      this.catchUp = catchUp;
      return this;
    }

    /**
     * How far back {@code catchUp} looks; 1 h unless set.
     *
     * @param catchUpWindow 0 s to 3650 d
     */
    public Builder catchUpWindow(Duration catchUpWindow) {
      this.catchUpWindow = within("catch-up-window", catchUpWindow, Duration.ZERO, LONGEST);
      return this;
    }

    /** Whether it fires while the occurrence before is not settled; {@code ALLOW} unless set. */
    public Builder overlap(Overlap overlap) {
      this.overlap = overlap;
      return this;
    }

    /** How a time of day is treated that does not exist; {@code SHIFT} unless set. */
    public Builder gap(Gap gap) {
      this.gap = gap;
      return this;
    }

    /** When a time of day fires that exists twice; {@code FIRST} unless set. */
    public Builder repeated(Repeated repeated) {
      this.repeated = repeated;
      return this;
    }

    /** The route of its messages, which must be tracked. A schedule needs one. */
    public Builder route(String route) {
      this.route = route;
      return this;
    }

    /** The target exchange; that of the route unless set. */
    public Builder exchange(String exchange) {
      this.exchange = exchange;
      return this;
    }

    /** The target's routing key; that of the route unless set. */
    public Builder routingKey(String routingKey) {
      this.routingKey = routingKey;
      return this;
    }

    /** The payload; the array is copied. */
    public Builder body(byte[] body) {
      this.body = Objects.requireNonNull(body, NO_BODY).clone();
      return this;
    }

    /** The payload as UTF-8 text. */
    public Builder body(String text) {
      this.body = Objects.requireNonNull(text, NO_BODY).getBytes(StandardCharsets.UTF_8);
      return this;
    }

    /** The property {@code content-type}. */
    public Builder contentType(String contentType) {
      this.contentType = contentType;
      return this;
    }

    /**
     * Adds a header.
     *
     * @param value a text, a whole number or a truth value; an {@code Integer} becomes a {@code
     *     Long}
     * @throws IllegalArgumentException if it is none of these, or the name is one of ours
     */
    public Builder header(String name, Object value) {
      if (name.startsWith(Headers.PREFIX)) {
        throw new IllegalArgumentException("header '" + name + "' is one of Pocketwatch's own");
      }
      Object kept = value instanceof Integer number ? Long.valueOf(number) : value;
      if (!(kept instanceof String || kept instanceof Long || kept instanceof Boolean)) {
        throw new IllegalArgumentException(
            "header '%s' is a %s; allowed: a text, a whole number, a truth value"
                .formatted(name, value.getClass().getSimpleName()));
      }
      headers.put(name, kept);
      return this;
    }

    /** The caller's own name for its messages, to find them by. */
    public Builder businessKey(String businessKey) {
      this.businessKey = businessKey;
      return this;
    }

    /**
     * Makes the schedule. Whether its route is there and it still has an occurrence is looked at
     * when it is put in.
     *
     * @throws IllegalArgumentException if it has no route, not one of {@code cron} and {@code
     *     every}, or ends before it starts; if body and headers are larger than 1,000,000
     *     characters in JSON, or the rest than 4,000
     */
    public Schedule build() {
      return new Schedule(this);
    }

    private static Duration within(String what, Duration value, Duration least, Duration most) {
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            "%s is %s; allowed: %s to %s"
                .formatted(
                    what,
                    DurationText.format(value),
                    DurationText.format(least),
                    DurationText.format(most)));
      }
      return value;
    }

    private static LocalDateTime wholeSeconds(String what, LocalDateTime time) {
      if (time.getNano() != 0 || time.getYear() < 1970 || time.getYear() > 9999) {
        throw new IllegalArgumentException(
            "%s is %s; allowed: whole seconds from 1970 to 9999".formatted(what, time));
      }
      return time;
    }

    private Builder copy() {
      try {
        Builder copy = (Builder) clone();
        copy.headers = new TreeMap<>(headers);
        return copy;
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
