// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Keys that may be set by environment variables, in Boot's spelling: {@code
 * POCKETWATCH_WHEEL_MAXDELAY} for {@code pocketwatch.wheel.max-delay}. Only those that are known,
 * because tools of ours and scripts of others have variables that begin so too. Routes are not
 * among them; their values can name a variable as {@code ${...}}.
 */
final class EnvironmentKeys {
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";
  private static final String PREFIX = "pocketwatch.";

  private EnvironmentKeys() {}

  /** The properties, and over them what the environment sets. */
  static Map<String, Object> over(Map<String, ?> properties, Map<String, ?> environment) {
    Map<String, Object> all = new LinkedHashMap<>(properties);
    for (JsonNode property : metadata().get("properties")) {
      String key = property.get("name").textValue().substring(PREFIX.length());
      Object value = environment.get(variable(key));
      if (value != null && !key.equals("routes")) {
        put(all, key, value);
      }
    }
    return all;
  }

  private static String variable(String key) {
    return (PREFIX + key).replace(".", "_").replace("-", "").toUpperCase(Locale.ROOT);
  }

  private static void put(Map<String, Object> target, String key, Object value) {
    int dot = key.indexOf('.');
    if (dot < 0) {
      target.put(key, value);
      return;
    }
    String section = key.substring(0, dot);
    Map<String, Object> copy = new LinkedHashMap<>();
    if (target.get(section) instanceof Map<?, ?> there) {
      there.forEach((name, child) -> copy.put(name.toString(), child));
    }
    put(copy, key.substring(dot + 1), value);
    target.put(section, copy);
  }

  private static JsonNode metadata() {
    try (InputStream in = EnvironmentKeys.class.getResourceAsStream(METADATA)) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in, METADATA));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
