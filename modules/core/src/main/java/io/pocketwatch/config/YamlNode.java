// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A value in a YAML document and the path to it, for the modules that read a section of their own.
 * Reads strictly: no type is converted into another, unless all values are texts. Every complaint
 * is an {@link InvalidConfigurationException} that names source, path, value and what is allowed.
 * Immutable.
 */
public final class YamlNode {
  private static final int SHOWN_CHARS = 60;
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final String source;
  private final String path;
  private final JsonNode node;

  /** Whether all values are texts, so that only who reads one knows its type. */
  private final boolean texts;

  private YamlNode(String source, String path, JsonNode node, boolean texts) {
    this.source = source;
    this.path = path;
    this.node = node;
    this.texts = texts;
  }

  static YamlNode root(String source, JsonNode node) {
    return new YamlNode(source, "", node, false);
  }

  /** What somebody else has read, from property files or the environment. */
  static YamlNode texts(Map<String, ?> properties, String source) {
    return new YamlNode(source, "", texts(properties), true);
  }

  private static JsonNode texts(Object value) {
    if (value instanceof Map<?, ?> map) {
      ObjectNode node = JSON.createObjectNode();
      map.forEach((name, child) -> node.set(name.toString(), texts(child)));
      return node;
    }
    if (value instanceof List<?> list) {
      ArrayNode node = JSON.createArrayNode();
      list.forEach(item -> node.add(texts(item)));
      return node;
    }
    return TextNode.valueOf(value.toString());
  }

  /**
   * A value in JSON, to be read like one in YAML.
   *
   * @param source what to call it in error messages
   * @throws InvalidConfigurationException if it is not JSON, or a key is there twice
   */
  public static YamlNode json(String json, String source) {
    try {
      return root(source, JSON.readTree(json));
    } catch (JsonProcessingException e) {
      throw new InvalidConfigurationException(
          source, "", "is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** The path of a key below another path; a key that is not a plain word is put in brackets. */
  static String path(String parent, String key) {
    if (!key.matches("[\\w-]+")) {
      return parent + "['" + key + "']";
    }
    return parent.isEmpty() ? key : parent + "." + key;
  }

  /** The path of an item of a list. */
  static String path(String parent, int index) {
    return parent + "[" + index + "]";
  }

  /** A complaint about this value, to be thrown. */
  public InvalidConfigurationException refuse(String problem) {
    return new InvalidConfigurationException(source, path, problem);
  }

  /** Builds something from this value; what its builder refuses is refused with this path. */
  public <T> T check(Supplier<T> built) {
    try {
      return built.get();
    } catch (IllegalArgumentException e) {
      throw refuse(ErrorWords.of(e));
    }
  }

  /** Refuses every other key, because a typing error must not silently become a default. */
  public void allow(String... keys) {
    for (Map.Entry<String, YamlNode> child : children().entrySet()) {
      if (!List.of(keys).contains(child.getKey())) {
        throw child
            .getValue()
            .refuse(
                "unknown key%s; allowed: %s"
                    .formatted(suggestion(child.getKey(), keys), String.join(", ", keys)));
      }
    }
  }

  /** The values of a mapping by key, in the order of the document. */
  public Map<String, YamlNode> children() {
    require(node.isObject(), "a mapping");
    Map<String, YamlNode> children = new LinkedHashMap<>();
    node.properties().forEach(each -> children.put(each.getKey(), child(each.getKey())));
    return children;
  }

  /** The value of a key of this mapping, or null if the key is not there. */
  public @Nullable YamlNode find(String key) {
    return node.has(key) ? child(key) : null;
  }

  /** The value of a key of this mapping, or the fallback if the key is not there. */
  <V> V read(String key, Function<YamlNode, V> reader, V fallback) {
    YamlNode child = find(key);
    return child == null ? fallback : reader.apply(child);
  }

  /** Sets an option to the value of a key, if the key is there. */
  public <V> void set(String key, Function<YamlNode, V> reader, Function<V, ?> setter) {
    YamlNode child = find(key);
    if (child != null) {
      child.check(() -> setter.apply(reader.apply(child)));
    }
  }

  /** A text; numbers and truth values need quotes. */
  public String text() {
    boolean needsQuotes = node.isNumber() || node.isBoolean();
    require(node.isTextual(), needsQuotes ? "a text; put it in quotes" : "a text");
    return node.textValue();
  }

  boolean is(String word) {
    return word.equals(node.textValue());
  }

  boolean isFalse() {
    return "false".equals(node.asText());
  }

  int integer() {
    YamlNode number = number();
    number.require(number.node.canConvertToInt(), "at most " + Integer.MAX_VALUE);
    return number.node.intValue();
  }

  /** A whole number. */
  public long wholeNumber() {
    YamlNode number = number();
    number.require(number.node.canConvertToLong(), "at most " + Long.MAX_VALUE);
    return number.node.longValue();
  }

  private YamlNode number() {
    YamlNode number =
        isText("-?\\d{1,18}")
            ? new YamlNode(source, path, LongNode.valueOf(Long.parseLong(node.textValue())), false)
            : this;
    number.require(number.node.isIntegralNumber(), "a whole number");
    return number;
  }

  private boolean isText(String pattern) {
    return texts && node.isTextual() && node.textValue().matches(pattern);
  }

  /** A text, a {@code Long} or a {@code Boolean}. */
  public Object simpleValue() {
    require(node.isValueNode() && !node.isNull(), "a text, a whole number, true, false");
    return node.isTextual() ? node.textValue() : node.isBoolean() ? bool() : wholeNumber();
  }

  /** True or false. */
  public boolean bool() {
    if (isText("true|false")) {
      return Boolean.parseBoolean(node.textValue());
    }
    require(node.isBoolean(), "true, false");
    return node.booleanValue();
  }

  /** A duration such as {@code 15s}, or in ISO-8601. */
  public Duration duration() {
    if (node.isNumber()) {
      throw refuse(shown() + " has no unit; write for example 10ms, 15s, 30m, 2h or 31d");
    }
    require(node.isTextual(), "a duration such as 10ms, 15s, 30m, 2h or 31d");
    return check(() -> DurationText.parse(node.textValue()));
  }

  /** A duration a broker can hold a message for. */
  Duration delay() {
    return check(() -> DelayLimits.requireTtl(duration()));
  }

  List<Duration> delays() {
    require(node.isArray(), "a list such as [15m, 30m]");
    List<Duration> delays = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      delays.add(new YamlNode(source, path(path, i), node.get(i), texts).delay());
    }
    return delays;
  }

  /** One of the given words, in any case; {@code -} and {@code _} are the same. */
  public <E extends Enum<E>> E oneOf(E[] allowed) {
    String word = text().replace('-', '_');
    for (E each : allowed) {
      if (each.name().equalsIgnoreCase(word)) {
        return each;
      }
    }
    throw refuse(
        "%s is unknown; allowed: %s"
            .formatted(
                shown(),
                Stream.of(allowed).map(YamlNode::label).collect(Collectors.joining(", "))));
  }

  private YamlNode child(String key) {
    return new YamlNode(source, path(path, key), node.get(key), texts);
  }

  private void require(boolean condition, String allowed) {
    if (!condition) {
      String found = node.isNull() ? "has no value" : shown() + " is " + kind();
      throw refuse(found + "; allowed: " + allowed);
    }
  }

  private String kind() {
    return switch (node.getNodeType()) {
      case OBJECT -> "a mapping";
      case ARRAY -> "a list";
      case STRING -> "a text";
      case NUMBER -> "a number";
      case BOOLEAN -> "a truth value";
      default -> "of an unknown type";
    };
  }

  private String shown() {
    String text = node.isTextual() ? "'" + node.textValue() + "'" : node.toString();
    return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
  }

  private static String label(Enum<?> word) {
    // A strategy is written as receipts show it, every other word in lower case.
    return word instanceof DelayStrategy ? word.name() : word.name().toLowerCase(Locale.ROOT);
  }

  /** Catches the usual slips: maxDelay, max_delay, delay for delays. */
  private static String suggestion(String key, String... allowed) {
    String wanted = letters(key);
    for (String each : allowed) {
      if (wanted.length() > 2
          && (letters(each).startsWith(wanted) || wanted.startsWith(letters(each)))) {
        return ", did you mean '" + each + "'?";
      }
    }
    return "";
  }

  private static String letters(String key) {
    return key.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
  }
}
