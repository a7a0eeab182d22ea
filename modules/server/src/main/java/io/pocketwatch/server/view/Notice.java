// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.screen.Numbers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A problem or warning of a server, for people. Programs go by the code, and pages translate it.
 *
 * @param code the kind of problem or warning
 * @param params its parameters: texts and whole numbers. One whose name ends in {@code Seconds} is
 *     a length of time
 */
public record Notice(Code code, Map<String, Object> params) {
  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");

  private static final String CLOCK =
      ", at the node that leads {queue} (other hold queues: {others}): set it right (NTP), messages"
          + " may be early or late by that";

  /** A notice without parameters. */
  public static Notice of(Code code) {
    return new Notice(code, Map.of());
  }

  /** A notice with one parameter. */
  public static Notice of(Code code, String param, Object value) {
    return new Notice(code, Map.of(param, value));
  }

  /** This notice with one more parameter. */
  public Notice and(String param, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(params);
    more.put(param, value);
    return new Notice(code, more);
  }

  /** The notice as a sentence, without a full stop. */
  public String text() {
    return PARAMETER
        .matcher(code.template)
        .replaceAll(found -> Matcher.quoteReplacement(word(found.group(1))));
  }

  private String word(String param) {
    Object value = params.get(param);
    return value instanceof Number seconds && param.endsWith("Seconds")
        ? Numbers.rough(Duration.ofSeconds(seconds.longValue()))
        : String.valueOf(value);
  }

  /** The notice as in {@code /health} and the status. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("code", code.text());
    json.put("params", params);
    json.put("text", text());
    return json;
  }

  /** The kinds of notices, each with its sentence in English. */
  public enum Code {
    BROKER_AWAY("the broker is not connected: {reason}"),
    BROKER_BLOCKED("the broker has blocked publishers: {reason}"),
    HOLDS_BROKEN("hold queues broken ({count}), see 'pocketwatch repair': {first}"),
    HOLDS_MISSING(
        "hold queues broken ({count}), this server may not declare them (pocketwatch.topology:"
            + " verify): an administrator has to run 'pocketwatch repair --yes' with topology:"
            + " declare: {first}"),
    POLICIES_HARM("{reason}"),
    STORE_AWAY("the store does not answer: {reason}"),
    STORE_LOST(
        "the database has lost changes that it had confirmed, made after {after} and up to {until}:"
            + " a stand-by took over that was behind, or it was restored. What was scheduled then"
            + " is gone; what was cancelled or settled then comes again. Repeat what you know of,"
            + " and restart this server"),
    LOADER_STUCK(
        "this server's loader is stuck: it has ended no pass and loaded nothing for"
            + " {quietSeconds}; allowed: {limitSeconds} (two sweeps and 10 min)"),
    NOBODY_LOADS("nobody loads: no loader has shown a sign of life lately"),
    LOAD_FAILED("the last load ended early: {reason}"),
    OVERDUE(
        "route {route}: {count} overdue, the oldest for {oldestSeconds}; {due} due,"
            + " {sent} sent, {beingHandled} being handled"),
    OVERDUE_SILENT(
        "route {route}: {count} overdue, the oldest for {oldestSeconds}, and it settles none;"
            + " {due} due, {sent} sent, {beingHandled} being handled"),
    OVERDUE_MORE("{routes} more routes: {count} overdue, the oldest for {oldestSeconds}"),
    CALLBACKS_NO_BROKER("callbacks wait for the broker: {reason}"),
    CALLBACKS_WAIT("callbacks of route {route} wait: {reason}"),
    CALLBACKS_STOPPED(
        "callbacks of queue '{consumer}' are stopped and its messages stay there: it got a copy of"
            + " {message}, which belongs to '{other}'. With tracking 'full' a message has one"
            + " consumer: schedule one message for each queue, use tracking 'handoff', or have"
            + " '{other}' publish to the others; then restart this server"),
    CALLBACKS_GIVEN_UP(
        "callbacks of route {route} given up without a row ({count}), in queue '{queue}': see"
            + " 'pocketwatch parked'"),
    UNROUTABLE(
        "messages came due for a target that was gone ({count}), and wait in queue '{queue}': see"
            + " 'pocketwatch unroutable'"),
    QUEUE_UNCOUNTED("queue '{queue}' cannot be counted: {reason}"),
    SCHEDULES_STOPPED("schedules do not fire: {reason}"),
    SCHEDULE_FAILING("schedule {schedule} cannot fire: {reason}"),
    SCHEDULE_LATE("schedule {schedule} has not fired for two intervals"),
    HOLDS_UNTESTED("the hold queues are not tested: {reason}"),
    BROKER_AHEAD("the broker's clock is at least {bySeconds} ahead of this machine's" + CLOCK),
    BROKER_BEHIND("the broker's clock is at least {bySeconds} behind this machine's" + CLOCK),
    DELIVERY_TIME_UNUSED("DELIVERY_TIME is not used, the wheel serves: {reason}"),
    FILE_UNUSED("the configuration file is not used as it is now: {reason}");

    private final String template;

    Code(String template) {
      this.template = template;
    }

    /** The code as in JSON. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The sentence, with parameters in braces. */
    public String template() {
      return template;
    }
  }
}
