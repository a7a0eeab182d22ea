// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers. */
public final class Answers {
  private static final int DEEPEST = 100;

  public static final ObjectMapper MAPPER =
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

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  /** The stream is the server's to flush and close. */
  private static final ObjectWriter WRITER =
      MAPPER
          .writer()
          .without(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
          .without(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)
          .without(SerializationFeature.FLUSH_AFTER_WRITE_VALUE);

  private Answers() {}

  /** Streams an answer as JSON, without a copy of its bytes in memory. */
  public static void json(Context context, int status, Object value) {
    head(context, status, "application/json");
    try {
      WRITER.writeValue(context.outputStream(), value);
    } catch (JsonProcessingException e) {
      throw unwritable(e);
    } catch (IOException e) {
      LOG.debug("Nobody takes the answer any more", e);
    }
  }

  static void problem(Context context, Problem problem) {
    problem.headers().forEach(context::header);
    head(context, problem.type().status(), "application/problem+json");
    context.result(bytes(problem.json()));
  }

  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw unwritable(e);
    }
  }

  private static IllegalStateException unwritable(JsonProcessingException e) {
    return new IllegalStateException("records, maps, words and numbers can be written", e);
  }

  private static void head(Context context, int status, String type) {
    context.status(status).contentType(type).header("Cache-Control", "no-store");
  }
}
