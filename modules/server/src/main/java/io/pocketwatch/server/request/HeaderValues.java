// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts JSON to AMQP headers, as far as JSON has their types. */
final class HeaderValues {
  private HeaderValues() {}

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
        throw Problem.at(
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
      throw Problem.at(
          ProblemType.INVALID_FIELD, pointer, pointer.substring(1) + " " + Fields.NOT_UNICODE);
    }
  }
}
