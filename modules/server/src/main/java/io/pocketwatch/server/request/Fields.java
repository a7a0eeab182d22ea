// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON object of a request. Null counts as absent; no type is converted into another. */
public final class Fields {
  static final String NOT_UNICODE = "has half of a surrogate pair, which is no character";

  private final String pointer;
  private final JsonNode node;
  private final Set<String> known = new LinkedHashSet<>();

  private Fields(String pointer, JsonNode node) {
    this.pointer = pointer;
    this.node = node;
    if (!node.isObject()) {
      throw Problem.at(ProblemType.INVALID_FIELD, pointer, where() + "is not an object");
    }
  }

  public static Fields of(JsonNode body) {
    return new Fields("", body);
  }

  /** The object at a place of a list. */
  public static Fields of(JsonNode item, String pointer) {
    return new Fields(pointer, item);
  }

  private String where() {
    return pointer.isEmpty() ? "the body " : pointer + " ";
  }

  public Problem refuse(String field, String problem) {
    return Problem.at(ProblemType.INVALID_FIELD, pointer + "/" + field, field + " " + problem);
  }

  /** To be called when all fields have been asked for. */
  public void requireNoOther() {
    for (var each : node.properties()) {
      if (!known.contains(each.getKey())) {
        throw refuse(each.getKey(), "is unknown; allowed: " + String.join(", ", known));
      }
    }
  }

  public @Nullable JsonNode value(String field) {
    known.add(field);
    JsonNode value = node.get(field);
    return value == null || value.isNull() ? null : value;
  }

  /** Whether the field is there, even as null. */
  boolean has(String field) {
    known.add(field);
    return node.has(field);
  }

  public @Nullable String text(String field) {
    JsonNode value = value(field);
    if (value != null && !value.isTextual()) {
      throw refuse(field, "is not a text");
    }
    if (value != null && !isUnicode(value.textValue())) {
      throw refuse(field, NOT_UNICODE);
    }
    return value == null ? null : value.textValue();
  }

  /** Whether UTF-8 can hold it: half of a surrogate pair would become a question mark. */
  static boolean isUnicode(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  int integer(String field, int least, int most, int fallback) {
    JsonNode value = value(field);
    if (value == null) {
      return fallback;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < least
        || value.intValue() > most) {
      throw refuse(field, "is not a whole number from %s to %s".formatted(least, most));
    }
    return value.intValue();
  }

  public boolean bool(String field, boolean fallback) {
    JsonNode value = value(field);
    if (value != null && !value.isBoolean()) {
      throw refuse(field, "is neither true nor false");
    }
    return value == null ? fallback : value.booleanValue();
  }

  /** Refuses nulls, where a missing field would mean more than none. */
  public void requireNoNull() {
    for (var each : node.properties()) {
      if (each.getValue().isNull()) {
        throw refuse(each.getKey(), "is null; leave it out");
      }
    }
  }

  /** A delay, or null if the field is absent. */
  public @Nullable Duration delay(String field) {
    Duration delay = duration(field);
    if (delay == null) {
      return null;
    }
    String text = text(field);
    if (delay.isNegative()) {
      throw refuse(field, "'%s' is negative; allowed: 0s and longer".formatted(text));
    }
    if (delay.compareTo(Duration.between(Instant.now(), DelayLimits.LATEST)) > 0) {
      throw refuse(field, "'%s' ends after %s".formatted(text, DelayLimits.LATEST));
    }
    return delay;
  }

  /** A duration of any sign, or null if the field is absent. */
  public @Nullable Duration duration(String field) {
    String text = time(field, DurationText.FORM);
    try {
      return text == null ? null : DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw refuse(field, ErrorWords.of(e));
    }
  }

  public @Nullable Instant instant(String field) {
    String text = time(field, Parameters.FORM);
    try {
      return text == null ? null : Parameters.parse(text);
    } catch (DateTimeException e) {
      throw refuse(field, "'%s' %s".formatted(text, ErrorWords.of(e)));
    }
  }

  /** The text of a time. Null is refused here: without its time a message would be sent at once. */
  private @Nullable String time(String field, String form) {
    if (has(field) && !node.get(field).isTextual()) {
      throw refuse(field, "is not a text; write " + form);
    }
    return text(field);
  }
}
