// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Objects as one line of JSON. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** Of numbers, words, lists, maps and records of these. */
  public static String line(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("numbers and words can be written", e);
    }
  }
}
