// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes objects as one line of JSON. */
public final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(
              new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance));

  private Json() {}

  /** Writes numbers, words, instants, lists, maps and records of these. */
  public static String line(@Nullable Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("numbers and words can be written", e);
    }
  }

  /** A record of these as a map of its own. */
  public static Map<String, @Nullable Object> map(Object value) {
    return MAPPER.convertValue(
        value, new TypeReference<LinkedHashMap<String, @Nullable Object>>() {});
  }
}
