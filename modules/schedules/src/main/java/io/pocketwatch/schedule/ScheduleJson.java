// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.config.YamlNode;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.schedule.Schedule.Builder;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Gap;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.schedule.Schedule.Repeated;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes definitions as a tree of keys, for YAML, properties and stored JSON alike. */
final class ScheduleJson {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> BODIES = List.of("body", "body-base64", "file");
  private static final Duration USUAL_WINDOW = Duration.ofHours(1);

  private ScheduleJson() {}

  /** Leaves defaults out, so that a new key does not change the text of old definitions. */
  static String write(Schedule schedule) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("cron", schedule.cron());
    tree.put("every", schedule.every() == null ? null : DurationText.format(schedule.every()));
    tree.put("zone", schedule.zone().getId());
    tree.put("starts", schedule.starts() == null ? null : schedule.starts().toString());
    tree.put("ends", schedule.ends() == null ? null : schedule.ends().toString());
    tree.put("times", schedule.times());
    tree.put("jitter", unless(Duration.ZERO, schedule.jitter()));
    tree.put("catch-up", unless(CatchUp.LATEST, schedule.catchUp()));
    tree.put("catch-up-window", unless(USUAL_WINDOW, schedule.catchUpWindow()));
    tree.put("overlap", unless(Overlap.ALLOW, schedule.overlap()));
    tree.put("gap", unless(Gap.SHIFT, schedule.gap()));
    tree.put("repeated", unless(Repeated.FIRST, schedule.repeated()));
    tree.put("route", schedule.route());
    tree.put("exchange", schedule.exchange());
    tree.put("routing-key", schedule.routingKey());
    tree.put("content-type", schedule.contentType());
    tree.put("business-key", schedule.businessKey());
    return text(tree);
  }

  /** Body and headers, in JSON. */
  static String writePayload(byte[] body, Map<String, Object> headers) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      tree.put("body", text.isEmpty() ? null : text);
    } catch (CharacterCodingException e) { // not a text
      tree.put("body-base64", Base64.getEncoder().encodeToString(body));
    }
    tree.put("headers", headers.isEmpty() ? null : headers);
    return text(tree);
  }

  private static String text(Map<String, @Nullable Object> tree) {
    tree.values().removeIf(value -> value == null);
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e); // texts and numbers
    }
  }

  private static @Nullable String unless(Enum<?> usual, Enum<?> value) {
    return value == usual ? null : value.name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String unless(Duration usual, Duration value) {
    return value.equals(usual) ? null : DurationText.format(value);
  }

  /**
   * Reads a definition.
   *
   * @param files whether {@code file} may name one to take the body from
   * @throws InvalidConfigurationException naming the key and what is allowed
   */
  static Schedule read(Builder schedule, YamlNode node, boolean files) {
    node.set("cron", YamlNode::text, schedule::cron);
    rule(schedule, node);
    payload(schedule, node);
    if (files) {
      node.set("file", ScheduleJson::file, (byte[] bytes) -> schedule.body(bytes));
    }
    node.refuseOthers();
    BODIES.stream()
        .filter(key -> node.find(key) != null)
        .skip(1)
        .forEach(
            key ->
                node.reportIf(
                    true, key, "is one body more; allowed: one of " + String.join(", ", BODIES)));
    node.reportIf(
        node.find("cron") != null,
        "every",
        "there are both 'cron' and 'every'; leave one of them out");
    Schedule built = node.check(schedule::build);
    boolean every = built.every() != null;
    node.reportIf(every && built.gap() != Gap.SHIFT, "gap", "has no effect with every");
    node.reportIf(
        every && built.repeated() != Repeated.FIRST, "repeated", "has no effect with every");
    node.reportIf(
        built.catchUp() == CatchUp.NONE && !built.catchUpWindow().equals(USUAL_WINDOW),
        "catch-up-window",
        "has no effect with catch-up: none");
    return built;
  }

  /**
   * Reads a stored definition, whose rule was checked when it was put in.
   *
   * @param payload null if it was not read
   */
  static Schedule readStored(String name, String definition, @Nullable String payload) {
    Builder schedule = Schedule.named(name);
    YamlNode node = YamlNode.json(definition, "schedule '" + name + "'");
    node.set("cron", YamlNode::text, schedule::storedCron);
    rule(schedule, node);
    node.refuseOthers();
    if (payload == null) {
      schedule.withoutPayload();
    } else {
      YamlNode large = YamlNode.json(payload, "schedule '" + name + "'");
      payload(schedule, large);
      large.refuseOthers();
    }
    return node.check(schedule::build);
  }

  private static void rule(Builder schedule, YamlNode node) {
    node.set("every", YamlNode::duration, schedule::every);
    node.set("zone", YamlNode::zone, schedule::zone);
    node.set("starts", ScheduleJson::time, schedule::starts);
    node.set("ends", ScheduleJson::time, schedule::ends);
    node.set("times", YamlNode::wholeNumber, schedule::times);
    node.set("jitter", YamlNode::duration, schedule::jitter);
    node.set("catch-up", word -> word.oneOf(CatchUp.values()), schedule::catchUp);
    node.set("catch-up-window", YamlNode::duration, schedule::catchUpWindow);
    node.set("overlap", word -> word.oneOf(Overlap.values()), schedule::overlap);
    node.set("gap", word -> word.oneOf(Gap.values()), schedule::gap);
    node.set("repeated", word -> word.oneOf(Repeated.values()), schedule::repeated);
    node.set("route", YamlNode::text, schedule::route);
    node.set("exchange", YamlNode::text, schedule::exchange);
    node.set("routing-key", YamlNode::text, schedule::routingKey);
    node.set("content-type", YamlNode::text, schedule::contentType);
    node.set("business-key", YamlNode::text, schedule::businessKey);
  }

  private static void payload(Builder schedule, YamlNode node) {
    node.set("body", YamlNode::content, (String text) -> schedule.body(text));
    node.set("body-base64", ScheduleJson::base64, (byte[] bytes) -> schedule.body(bytes));
    node.read("headers", headers -> headers(schedule, headers));
  }

  private static YamlNode headers(Builder schedule, YamlNode headers) {
    return headers.each(
        (name, value) -> value.check(() -> schedule.header(name, value.simpleValue())));
  }

  private static LocalDateTime time(YamlNode node) {
    String text = node.text();
    try {
      return LocalDateTime.parse(text);
    } catch (DateTimeParseException e) {
      throw node.refuse(
          "'" + text + "' is no local time; write for example 2026-12-01T09:00, without a zone");
    }
  }

  private static byte[] base64(YamlNode node) {
    try {
      return Base64.getDecoder().decode(node.text());
    } catch (IllegalArgumentException e) {
      throw node.refuse("is not Base64");
    }
  }

  private static byte[] file(YamlNode node) {
    try {
      return Files.readAllBytes(Path.of(node.text()));
    } catch (IOException | InvalidPathException e) {
      throw node.refuse("cannot be read: " + ErrorWords.of(e));
    }
  }
}
