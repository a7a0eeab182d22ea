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
import io.pocketwatch.internal.base.Ranges;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A value in a YAML document and the path to it, for modules that read a section of their own. It
 * is read strictly: no type is converted into another, unless all values are texts. A fault is an
 * {@link InvalidConfigurationException} that names source, line, path, value and what is allowed.
 * While a whole document is read, faults are collected, and all are reported at the end. Not
 * thread-safe.
 */
public final class YamlNode {
  private static final int SHOWN_CHARS = 60;
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{\\w[\\w.-]*");
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final YamlSource source;
  private final String path;
  private final JsonNode node;
  private final Kind kind;

  private YamlNode(YamlSource source, String path, JsonNode node, Kind kind) {
    this.source = source;
    this.path = path;
    this.node = node;
    this.kind = kind;
  }

  static YamlNode root(YamlSource source, JsonNode node) {
    return new YamlNode(source, "", node, Kind.TYPED);
  }

  /** The properties that a framework has read, as nested maps and lists of simple values. */
  static YamlNode texts(Map<String, ?> properties, String name) {
    YamlSource source = YamlSource.named(name);
    return new YamlNode(source, "", texts(properties, "", source), Kind.TEXTS);
  }

  private static JsonNode texts(Object value, String path, YamlSource source) {
    if (value instanceof Map<?, ?> map) {
      ObjectNode node = JSON.createObjectNode();
      map.forEach(
          (name, child) ->
              node.set(name.toString(), texts(child, path(path, name.toString()), source)));
      return node;
    }
    if (value instanceof List<?> list) {
      ArrayNode node = JSON.createArrayNode();
      list.forEach(item -> node.add(texts(item, path(path, node.size()), source)));
      return node;
    }
    if (value instanceof Written written) {
      source.writtenAt(path, written.origin());
      return texts(written.value(), path, source);
    }
    return TextNode.valueOf(value.toString());
  }

  /**
   * A value in JSON, to be read like one in YAML.
   *
   * @param source its name in error messages
   * @throws InvalidConfigurationException if it is not JSON, or has a key twice
   */
  public static YamlNode json(String json, String source) {
    try {
      return root(YamlSource.named(source), JSON.readTree(json));
    } catch (JsonProcessingException e) {
      throw new InvalidConfigurationException(
          source, 0, "", "is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** The same value as a possible secret, which no error message repeats. */
  public YamlNode hidden() {
    return new YamlNode(source, path, node, Kind.HIDDEN);
  }

  /** The same value, whose first fault is thrown at once. */
  YamlNode alone() {
    return new YamlNode(source.throwing(), path, node, kind);
  }

  /**
   * Reads all of this value, even if parts of it are wrong.
   *
   * @throws InvalidConfigurationException with all faults
   */
  public <T> T all(Function<YamlNode, T> reader) {
    YamlNode all = new YamlNode(source.collecting(), path, node, kind);
    Optional<T> read = all.attempt(() -> reader.apply(all));
    all.source.requireNone();
    return read.orElseThrow(); // empty only after a fault, which was thrown
  }

  /** The result of the reading; empty if the value was refused. */
  private <T> Optional<T> attempt(Supplier<T> reading) {
    try {
      return Optional.of(reading.get());
    } catch (InvalidConfigurationException e) {
      source.note(e);
      return Optional.empty();
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

  /** An exception about this value, for the caller to throw. */
  public InvalidConfigurationException refuse(String problem) {
    return source.refusal(path, problem);
  }

  /** Reports a fault of this value: it is collected, or thrown where none are collected. */
  public void report(String problem) {
    source.note(refuse(problem));
  }

  /** Reports a fault of a key's value, if the key is there and its value wrong. */
  public void reportIf(boolean wrong, String key, String problem) {
    YamlNode child = find(key);
    if (wrong && child != null) {
      child.report(problem);
    }
  }

  /** Whether the value of a key, or a part of it, was refused. */
  public boolean isRefused(String key) {
    return source.refused(path(path, key));
  }

  /** Whether the wheel was refused; faults that only follow from that are not reported. */
  boolean isWheelRefused() {
    return source.refused("pocketwatch.wheel");
  }

  /** Whether a route or the defaults were refused; faults that only follow are not reported. */
  public boolean isRouteRefused(String name) {
    String routes = "pocketwatch.routes";
    return source.refused(path(routes, name))
        || source.refusedAsAWhole(routes)
        || source.refused("pocketwatch.defaults");
  }

  /**
   * Builds an object from this value. What its builder refuses becomes a fault at this path, unless
   * a part of the value was refused, from which it may only follow.
   */
  public <T> T check(Supplier<T> built) {
    try {
      return built.get();
    } catch (IllegalArgumentException e) {
      throw source.refused(path) ? YamlSource.FOLLOWS : refuse(ErrorWords.of(e));
    }
  }

  /**
   * Refuses every key that was not asked for, because a typing error must not silently become a
   * default. Call it after all keys were read.
   */
  public void refuseOthers() {
    children()
        .forEach(
            (key, child) -> {
              if (!asked().contains(key)) {
                String nearest =
                    Spelling.nearest(key, asked())
                        .map(", did you mean '%s'?"::formatted)
                        .orElse("");
                child.report(
                    "unknown key%s; allowed: %s".formatted(nearest, String.join(", ", asked())));
              }
            });
  }

  private Set<String> asked() {
    return source.asked(path);
  }

  /** Frameworks read an empty mapping or list in properties as an empty text. */
  private boolean isEmptied() {
    return kind == Kind.TEXTS && node.isTextual() && node.textValue().isEmpty();
  }

  /** The values of a mapping by key, in the order of the document. */
  public Map<String, YamlNode> children() {
    require(node.isObject() || isEmptied(), "a mapping");
    Map<String, YamlNode> children = new LinkedHashMap<>();
    node.properties().forEach(each -> children.put(each.getKey(), child(each.getKey())));
    return children;
  }

  /** Reads each value of a mapping by its key, in the order of the document. */
  public YamlNode each(BiConsumer<String, YamlNode> reader) {
    children()
        .forEach(
            (key, child) ->
                child.attempt(
                    () -> {
                      reader.accept(key, child);
                      return child;
                    }));
    return this;
  }

  /** The value of a key of this mapping, or null if the key is not there. */
  public @Nullable YamlNode find(String key) {
    require(node.isObject() || isEmptied(), "a mapping");
    asked().add(key);
    return node.has(key) ? child(key) : null;
  }

  /** The value of a key of this mapping; empty if the key is not there, or was refused. */
  public <V> Optional<V> read(String key, Function<YamlNode, V> reader) {
    YamlNode child = find(key);
    return child == null
        ? Optional.empty()
        : child.attempt(() -> child.check(() -> reader.apply(child)));
  }

  /**
   * As {@link #read}, for a key that must be there.
   *
   * @param example a value, for the error message
   */
  public <V> Optional<V> require(String key, String example, Function<YamlNode, V> reader) {
    if (find(key) == null) {
      source.note(source.refusal(path(path, key), "is missing; write " + example));
    }
    return read(key, reader);
  }

  /** Sets an option to the value of a key, if the key is there. */
  public <V> void set(String key, Function<YamlNode, V> reader, Function<V, ?> setter) {
    read(key, child -> setter.apply(reader.apply(child)));
  }

  /** The value as a text; numbers and truth values need quotes. */
  public String text() {
    requireMeant();
    return content();
  }

  /** Refuses what cannot be meant: a variable that was not replaced, and a text of blanks. */
  private void requireMeant() {
    requireReplaced(kind == Kind.TEXTS || source.hasLines());
    boolean blank = node.isTextual() && node.textValue().isBlank();
    if (blank && (kind == Kind.TEXTS || source.hasLines() && !node.textValue().isEmpty())) {
      throw refuse("has no value; give it one or leave the key out");
    }
  }

  private void requireReplaced(boolean everywhere) {
    Matcher variable = VARIABLE.matcher(everywhere ? node.asText() : "");
    if (variable.find()) {
      throw refuse(
          "holds %s}, which nothing has replaced; write the value itself"
              .formatted(kind == Kind.HIDDEN ? "${..." : variable.group()));
    }
  }

  /**
   * A text whose meaning is not ours, and which may hold anything. Only in properties are variables
   * refused: a framework should have replaced them.
   */
  public String content() {
    requireReplaced(kind == Kind.TEXTS);
    boolean needsQuotes = node.isNumber() || node.isBoolean();
    require(node.isTextual(), needsQuotes ? "a text; put it in quotes" : "a text");
    return node.textValue();
  }

  /** A text that is not blank. */
  public String filledText() {
    String text = text();
    require(!text.isBlank(), "a text that is not blank");
    return text;
  }

  /** A list of at least one text. */
  public List<String> texts() {
    String allowed = "a list of at least one text, such as [a, b]";
    require(!node.isEmpty(), allowed);
    return items(allowed, YamlNode::filledText);
  }

  boolean isFalse() {
    return "false".equals(node.asText());
  }

  int integer() {
    YamlNode number = number();
    number.require(number.node.canConvertToInt(), "at most " + Integer.MAX_VALUE);
    return number.node.intValue();
  }

  /** A whole number from the least to the most. */
  public int integer(int least, int most) {
    return check(() -> Ranges.within(key(), integer(), least, most));
  }

  /** A duration from the least to the most, both as text. */
  public Duration duration(String least, String most) {
    return check(() -> Ranges.within(key(), duration(), least, most));
  }

  private String key() {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  /** A whole number. */
  public long wholeNumber() {
    YamlNode number = number();
    number.require(number.node.canConvertToLong(), "at most " + Long.MAX_VALUE);
    return number.node.longValue();
  }

  private YamlNode number() {
    requireMeant();
    YamlNode number =
        isText("-?\\d{1,18}")
            ? new YamlNode(
                source, path, LongNode.valueOf(Long.parseLong(node.textValue())), Kind.TYPED)
            : this;
    number.require(number.node.isIntegralNumber(), "a whole number");
    return number;
  }

  private boolean isText(String pattern) {
    return kind == Kind.TEXTS && node.isTextual() && node.textValue().matches(pattern);
  }

  /** A text, a {@code Long} or a {@code Boolean}. */
  public Object simpleValue() {
    requireReplaced(kind == Kind.TEXTS);
    require(node.isValueNode() && !node.isNull(), "a text, a whole number, true, false");
    return node.isTextual() ? node.textValue() : node.isBoolean() ? bool() : wholeNumber();
  }

  /** True or false. */
  public boolean bool() {
    requireMeant();
    if (isText("(?i)true|false")) {
      return Boolean.parseBoolean(node.textValue());
    }
    require(node.isBoolean(), "true, false");
    return node.booleanValue();
  }

  /** A duration such as {@code 15s}, or in ISO-8601. */
  public Duration duration() {
    requireMeant();
    if (node.isNumber() || isText("[+-]?\\d+")) {
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
    return items("a list such as [15m, 30m]", YamlNode::delay);
  }

  private <T> List<T> items(String allowed, Function<YamlNode, T> reader) {
    require(node.isArray() || isEmptied(), allowed);
    List<T> items = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      YamlNode item = new YamlNode(source, path(path, i), node.get(i), kind);
      item.attempt(() -> reader.apply(item)).ifPresent(items::add);
    }
    return items;
  }

  /** A time zone. */
  public ZoneId zone() {
    try {
      return ZoneId.of(text());
    } catch (DateTimeException e) {
      throw refuse(shown() + " is no zone; write UTC or for example Europe/Berlin");
    }
  }

  /** One of the given words, in any case; {@code -} and {@code _} are the same. */
  public <E extends Enum<E>> E oneOf(E[] allowed) {
    String words = Stream.of(allowed).map(YamlNode::label).collect(Collectors.joining(", "));
    require(node.isTextual(), words); // a bare yes or off is a truth value
    String word = text().replace('-', '_');
    for (E each : allowed) {
      if (each.name().equalsIgnoreCase(word)) {
        return each;
      }
    }
    throw refuse("%s is unknown; allowed: %s".formatted(shown(), words));
  }

  private YamlNode child(String key) {
    return new YamlNode(source, path(path, key), node.get(key), kind);
  }

  private void require(boolean condition, String allowed) {
    if (!condition) {
      String found = node.isNull() ? "has no value" : (shown() + " is " + type()).strip();
      throw refuse(found + "; allowed: " + allowed);
    }
  }

  private String type() {
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
    if (kind == Kind.HIDDEN) {
      return "";
    }
    String text = node.isTextual() ? "'" + node.textValue() + "'" : node.toString();
    return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
  }

  private static String label(Enum<?> word) {
    // A strategy is written as receipts show it, every other word in lower case.
    return word instanceof DelayStrategy
        ? word.name()
        : word.name().toLowerCase(Locale.ROOT).replace("_", "-");
  }

  /** Source and path, without the line, so that changes elsewhere do not change it. */
  @Override
  public String toString() {
    return source + ": " + path;
  }

  private enum Kind {
    TYPED,

    /** All values are texts, whose types only their readers know. */
    TEXTS,

    /** The value must not be shown. */
    HIDDEN
  }

  /**
   * A property and its origin.
   *
   * @param origin where it is written, in words, such as a file with line and column
   */
  public record Written(Object value, String origin) {}
}
