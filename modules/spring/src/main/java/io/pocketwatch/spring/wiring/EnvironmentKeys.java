// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Keys that may be set by environment variables, in either of Boot's spellings: {@code
 * POCKETWATCH_WHEEL_MAXDELAY} or, if that is not set, {@code POCKETWATCH_WHEEL_MAX_DELAY} for
 * {@code pocketwatch.wheel.max-delay}. Only those that are known, because tools of ours and scripts
 * of others have variables that begin so too. Routes are not among them; their values can name a
 * variable as {@code ${...}}.
 */
final class EnvironmentKeys {
  private static final String METADATA = "META-INF/spring-configuration-metadata.json";
  private static final String PREFIX = "pocketwatch.";

  private EnvironmentKeys() {}

  /** What the environment sets, as a tree. */
  static Map<String, Object> of(Map<String, ?> environment) {
    Map<String, Object> all = new LinkedHashMap<>();
    for (String key : keys()) {
      Object value = environment.get(variable(key, ""));
      if (value == null) {
        value = environment.get(variable(key, "_"));
      }
      if (value != null) {
        put(all, key, value);
      }
    }
    return all;
  }

  /** Every library has a file of that name; ours is the one with our keys. */
  private static Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    try {
      for (URL each :
          Collections.list(EnvironmentKeys.class.getClassLoader().getResources(METADATA))) {
        try (InputStream in = each.openStream()) {
          for (JsonNode property : new ObjectMapper().readTree(in).path("properties")) {
            String name = property.path("name").asText();
            if (name.startsWith(PREFIX) && !name.equals(PREFIX + "routes")) {
              keys.add(name.substring(PREFIX.length()));
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return keys;
  }

  private static String variable(String key, String dash) {
    return (PREFIX + key).replace(".", "_").replace("-", dash).toUpperCase(Locale.ROOT);
  }

  private static void put(Map<String, Object> target, String key, Object value) {
    int dot = key.indexOf('.');
    if (dot < 0) {
      target.put(key, value);
      return;
    }
    String section = key.substring(0, dot);
    Map<String, Object> copy =
        target.get(section) instanceof Map<?, ?> there
            ? PropertyMaps.named(there)
            : new LinkedHashMap<>();
    put(copy, key.substring(dot + 1), value);
    target.put(section, copy);
  }
}
