// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A section that core leaves to us, read as strictly as core reads its own. Texts are not repeated
 * in complaints: they may be secret.
 */
final class ConfigurationSection {
  private static final String ROOT = "pocketwatch.";

  private final String source;
  private final String path;
  private final JsonNode node;

  ConfigurationSection(String source, String name, JsonNode node) {
    this.source = source;
    this.path = ROOT + name;
    this.node = node;
    if (present() && !node.isObject()) {
      throw refusal(path, "is not a mapping; allowed: a mapping");
    }
  }

  /** A section within this one, which may be missing. */
  ConfigurationSection section(String key) {
    return new ConfigurationSection(source, relative(key), node.path(key));
  }

  /** The sections within this one by name, in the order of the file. */
  Map<String, ConfigurationSection> sections() {
    Map<String, ConfigurationSection> sections = new LinkedHashMap<>();
    node.properties().forEach(each -> sections.put(each.getKey(), section(each.getKey())));
    return sections;
  }

  private String relative(String key) {
    return path.substring(ROOT.length()) + "." + key;
  }

  boolean present() {
    return !node.isMissingNode();
  }

  void allow(String... keys) {
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      if (!List.of(keys).contains(each.getKey())) {
        throw refuse(each.getKey(), "unknown key; allowed: " + String.join(", ", keys));
      }
    }
  }

  Optional<String> text(String key) {
    JsonNode value = node.path(key);
    if (value.isMissingNode()) {
      return Optional.empty();
    }
    if (!value.isTextual() || value.textValue().isBlank()) {
      throw refuse(key, value.isValueNode() ? "is not a text; put it in quotes" : "is not a text");
    }
    return Optional.of(value.textValue());
  }

  /** A list of texts; empty if there is none, and never empty if there is one. */
  List<String> texts(String key) {
    JsonNode value = node.path(key);
    List<String> texts = new ArrayList<>();
    if (value.isMissingNode()) {
      return texts;
    }
    for (JsonNode each : value) {
      if (each.isTextual()) {
        texts.add(each.textValue());
      }
    }
    if (!value.isArray() || texts.isEmpty() || texts.size() < value.size()) {
      throw refuse(key, "is not a list of at least one text, such as [a, b]");
    }
    return texts;
  }

  /** Where a secret is to be found. */
  SecretReference secret(String key) {
    String reference = text(key).orElseThrow(() -> refuse(key, "is missing"));
    if (!SecretReference.sound(reference)) {
      throw refuse(key, "is not a reference; " + SecretReference.ALLOWED);
    }
    return new SecretReference(source + ": " + path + "." + key, reference);
  }

  /** A duration such as 10s. */
  Duration duration(String key, Duration least, Duration most, Duration fallback) {
    return node.has(key) ? duration(key, node.get(key), least, most) : fallback;
  }

  private Duration duration(String key, JsonNode value, Duration least, Duration most) {
    String problem;
    try {
      Duration duration = DurationText.parse(value.textValue() == null ? "" : value.textValue());
      if (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0) {
        return duration;
      }
      problem = DurationText.format(duration);
    } catch (IllegalArgumentException e) {
      problem = "is not a duration";
    }
    throw refuse(
        key,
        "%s; allowed: %s to %s, such as 10s"
            .formatted(problem, DurationText.format(least), DurationText.format(most)));
  }

  boolean bool(String key, boolean fallback) {
    JsonNode value = node.path(key);
    if (value.isMissingNode()) {
      return fallback;
    }
    if (!value.isBoolean()) {
      throw refuse(key, "is not a truth value; allowed: true, false");
    }
    return value.booleanValue();
  }

  int integer(String key, int least, int most, int fallback) {
    JsonNode value = node.path(key);
    if (value.isMissingNode()) {
      return fallback;
    }
    if (!value.canConvertToExactIntegral()
        || !value.canConvertToInt()
        || value.intValue() < least
        || value.intValue() > most) {
      String problem = value.isNumber() ? value.asText() : "is not a number";
      throw refuse(key, "%s; allowed: %d to %d".formatted(problem, least, most));
    }
    return value.intValue();
  }

  CommandFailedException refuse(String problem) {
    return refusal(path, problem);
  }

  CommandFailedException refuse(String key, String problem) {
    return refusal(path + "." + key, problem);
  }

  private CommandFailedException refusal(String where, String problem) {
    return new CommandFailedException(ExitCodes.USAGE, source + ": " + where + ": " + problem);
  }
}
