// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.javalin.http.Context;
import java.time.Instant;

/** How answers are written. */
final class Answers {
  private static final int DEEPEST = 100;

  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .addModule(new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance))
          .build();

  static {
    MAPPER
        .getFactory()
        .setStreamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build());
  }

  private Answers() {}

  static void json(Context context, int status, Object value) {
    write(context, status, "application/json", value);
  }

  static void problem(Context context, Problem problem) {
    problem.headers().forEach(context::header);
    write(context, problem.type().status(), "application/problem+json", problem.json());
  }

  static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("records, maps, words and numbers can be written", e);
    }
  }

  private static void write(Context context, int status, String type, Object value) {
    context.status(status).contentType(type).result(bytes(value));
    context.header("Cache-Control", "no-store");
  }
}
