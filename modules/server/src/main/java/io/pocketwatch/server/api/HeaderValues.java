// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.LongString;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** AMQP headers as JSON, and back as far as JSON has their types. */
final class HeaderValues {
  private HeaderValues() {}

  static Map<String, @Nullable Object> toJson(@Nullable Map<String, Object> headers) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    if (headers != null) {
      headers.forEach((name, value) -> json.put(name, toJson(value)));
    }
    return json;
  }

  private static @Nullable Object toJson(@Nullable Object value) {
    if (value instanceof LongString text) {
      return text.toString();
    }
    if (value instanceof Date date) {
      return date.toInstant().toString();
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> json = new ArrayList<>();
      list.forEach(each -> json.add(toJson(each)));
      return json;
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      map.forEach((name, each) -> json.put(String.valueOf(name), toJson(each)));
      return json;
    }
    return value;
  }

  /**
   * @param pointer where the value stands, for complaints
   */
  static @Nullable Object fromJson(JsonNode value, String pointer) {
    if (value.isNull()) {
      return null;
    }
    if (value.isTextual()) {
      requireUnicode(value.textValue(), pointer);
      return value.textValue();
    }
    if (value.isBoolean()) {
      return value.booleanValue();
    }
    if (value.isIntegralNumber()) {
      if (!value.canConvertToLong()) {
        throw ProblemException.at(
            ProblemType.INVALID_FIELD,
            pointer,
            pointer.substring(1) + " is a number beyond 64 bits; send it as a text");
      }
      return value.longValue();
    }
    if (value.isNumber()) {
      return value.doubleValue();
    }
    if (value.isArray()) {
      List<@Nullable Object> list = new ArrayList<>();
      for (int i = 0; i < value.size(); i++) {
        list.add(fromJson(value.get(i), pointer + "/" + i));
      }
      return list;
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    value
        .properties()
        .forEach(
            each -> {
              String below = pointer + "/" + each.getKey();
              requireUnicode(each.getKey(), below);
              map.put(each.getKey(), fromJson(each.getValue(), below));
            });
    return map;
  }

  static void requireUnicode(String text, String pointer) {
    if (!Fields.isUnicode(text)) {
      throw ProblemException.at(
          ProblemType.INVALID_FIELD, pointer, pointer.substring(1) + " " + Fields.NOT_UNICODE);
    }
  }
}
