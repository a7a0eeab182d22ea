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
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A definition as a tree of keys: one way for YAML, for properties and for what is stored. */
final class ScheduleJson {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> KEYS =
      List.of(
          "cron",
          "every",
          "zone",
          "starts",
          "ends",
          "times",
          "jitter",
          "catch-up",
          "catch-up-window",
          "overlap",
          "gap",
          "repeated",
          "route",
          "exchange",
          "routing-key",
          "body",
          "body-base64",
          "content-type",
          "headers",
          "business-key");

  private ScheduleJson() {}

  /** What is a default is left out, so that a new key changes no text. */
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
    tree.put("catch-up-window", unless(Duration.ofHours(1), schedule.catchUpWindow()));
    tree.put("overlap", unless(Overlap.ALLOW, schedule.overlap()));
    tree.put("gap", unless(Gap.SHIFT, schedule.gap()));
    tree.put("repeated", unless(Repeated.FIRST, schedule.repeated()));
    tree.put("route", schedule.route());
    tree.put("exchange", schedule.exchange());
    tree.put("routing-key", schedule.routingKey());
    try {
      ByteBuffer body = ByteBuffer.wrap(schedule.body());
      String text = StandardCharsets.UTF_8.newDecoder().decode(body).toString();
      tree.put("body", text.isEmpty() ? null : text);
    } catch (CharacterCodingException e) { // not a text
      tree.put("body-base64", Base64.getEncoder().encodeToString(schedule.body()));
    }
    tree.put("content-type", schedule.contentType());
    tree.put("headers", schedule.headers().isEmpty() ? null : schedule.headers());
    tree.put("business-key", schedule.businessKey());
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
    List<String> keys = new ArrayList<>(KEYS);
    if (files) {
      keys.add("file");
    }
    node.allow(keys.toArray(String[]::new));
    node.set("cron", YamlNode::text, schedule::cron);
    node.set("every", YamlNode::duration, schedule::every);
    node.set("zone", ScheduleJson::zone, schedule::zone);
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
    if (keys.stream().filter(key -> isBody(key) && node.find(key) != null).count() > 1) {
      throw node.refuse("has more than one body; allowed: one of body, body-base64, file");
    }
    node.set("body", YamlNode::text, (String text) -> schedule.body(text));
    node.set("body-base64", ScheduleJson::base64, (byte[] bytes) -> schedule.body(bytes));
    node.set("file", ScheduleJson::file, (byte[] bytes) -> schedule.body(bytes));
    node.set("content-type", YamlNode::text, schedule::contentType);
    node.set("headers", YamlNode::children, headers -> headers(schedule, headers));
    node.set("business-key", YamlNode::text, schedule::businessKey);
    return node.check(schedule::build);
  }

  private static boolean isBody(String key) {
    return key.startsWith("body") || key.equals("file");
  }

  private static Builder headers(Builder schedule, Map<String, YamlNode> headers) {
    headers.forEach((name, value) -> value.check(() -> schedule.header(name, value.simpleValue())));
    return schedule;
  }

  private static ZoneId zone(YamlNode node) {
    String id = node.text();
    try {
      return ZoneId.of(id);
    } catch (DateTimeException e) {
      throw node.refuse("'" + id + "' is no zone; write UTC or for example Europe/Berlin");
    }
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
    String name = node.text();
    try {
      return Files.readAllBytes(Path.of(name));
    } catch (IOException | InvalidPathException e) {
      throw node.refuse("'" + name + "' cannot be read: " + ErrorWords.of(e));
    }
  }
}
