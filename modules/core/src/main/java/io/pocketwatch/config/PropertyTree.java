// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A configuration that somebody else has read, from property files or the environment, where every
 * value is a text. Only the keys tell which are numbers.
 */
final class PropertyTree {
  private static final Set<String> NUMBERS =
      Set.of(
          "batch",
          "channels",
          "consumers",
          "insert-limit",
          "max",
          "max-body-size",
          "max-in-flight",
          "rate",
          "times",
          "weight");

  private static final Set<String> TRUTHS = Set.of("accept-loss");

  private PropertyTree() {}

  static JsonNode of(Map<String, ?> properties) {
    return new ObjectMapper().valueToTree(Map.of("pocketwatch", typed("", properties)));
  }

  private static Object typed(String key, Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> typed = new LinkedHashMap<>();
      map.forEach((name, child) -> typed.put(name.toString(), typed(name.toString(), child)));
      return typed;
    }
    if (value instanceof List<?> list) {
      return list.stream().map(item -> typed("", item)).toList();
    }
    String text = value.toString();
    if (NUMBERS.contains(key) && text.matches("-?\\d{1,18}")) {
      return Long.valueOf(text);
    }
    if (TRUTHS.contains(key) && text.matches("true|false")) {
      return Boolean.valueOf(text);
    }
    return text;
  }
}
