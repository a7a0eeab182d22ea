// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.Locale;

/**
 * Reads the bodies of requests.
 *
 * @param most how many bytes one may have
 */
record Bodies(int most) {

  /**
   * @throws ProblemException if it is too large, or not JSON
   */
  JsonNode read(Context context) {
    String type = String.valueOf(context.contentType()).toLowerCase(Locale.ROOT);
    if (!type.equals("application/json") && !type.startsWith("application/json;")) {
      throw new ProblemException(
          ProblemType.UNSUPPORTED_MEDIA_TYPE, "send the body as Content-Type: application/json");
    }
    try {
      byte[] bytes = context.bodyInputStream().readNBytes(most + 1);
      if (bytes.length > most) {
        throw new ProblemException(
            ProblemType.TOO_LARGE,
            "the body has more than %d bytes (pocketwatch.server.limits.request-size)"
                .formatted(most));
      }
      return parse(bytes);
    } catch (IOException e) {
      throw new ProblemException(ProblemType.MALFORMED, "the body ended before it was all there");
    }
  }

  private static JsonNode parse(byte[] bytes) throws IOException {
    try {
      JsonNode node = Answers.MAPPER.readTree(bytes);
      if (node.isMissingNode()) {
        throw new ProblemException(ProblemType.MALFORMED, "there is no body");
      }
      return node;
    } catch (StreamConstraintsException e) {
      throw new ProblemException(ProblemType.MALFORMED, e.getOriginalMessage());
    } catch (JacksonException e) {
      String place =
          e.getLocation() == null
              ? ""
              : " at line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new ProblemException(
          ProblemType.MALFORMED, "the body is not JSON%s: %s".formatted(place, firstLine(e)));
    }
  }

  private static String firstLine(JacksonException e) {
    return String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
  }
}
