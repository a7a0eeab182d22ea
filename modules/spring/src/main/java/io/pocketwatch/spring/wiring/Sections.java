// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.route.DurationText;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads the few keys that only an application has. */
final class Sections {
  private Sections() {}

  static void allow(String section, Map<String, ?> values, Set<String> keys) {
    for (String key : values.keySet()) {
      if (!keys.contains(key)) {
        throw refuse(
            section, key, "unknown key; allowed: " + String.join(", ", new TreeSet<>(keys)));
      }
    }
  }

  static boolean truth(String section, Map<String, ?> values, String key, boolean fallback) {
    Object value = values.get(key);
    if (value == null) {
      return fallback;
    }
    return switch (value.toString()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw refuse(section, key, "'" + value + "'; allowed: true, false");
    };
  }

  static String text(Map<String, ?> values, String key, String fallback) {
    Object value = values.get(key);
    return value == null ? fallback : value.toString();
  }

  static Duration duration(String section, Map<String, ?> values, String key, Duration fallback) {
    Object value = values.get(key);
    try {
      return value == null ? fallback : DurationText.parse(value.toString());
    } catch (IllegalArgumentException e) {
      throw refuse(section, key, String.valueOf(e.getMessage()));
    }
  }

  static IllegalArgumentException refuse(String section, String key, String problem) {
    return new IllegalArgumentException("pocketwatch.%s.%s: %s".formatted(section, key, problem));
  }
}
