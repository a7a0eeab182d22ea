// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;

/**
 * The payload of a message that is asked for.
 *
 * @param bytes what is sent
 * @param contentType of what kind it is
 */
@SuppressWarnings("ArrayRecordComponent") // handed through, never compared
record NewBody(byte[] bytes, String contentType) {
  static NewBody read(Fields fields) {
    String contentType = fields.text("contentType");
    boolean json = fields.has("body");
    JsonNode body = fields.value("body");
    String base64 = fields.text("bodyBase64");
    if (json && base64 != null) {
      throw fields.refuse("bodyBase64", "cannot be given together with body");
    }
    if (base64 != null || !json) {
      return new NewBody(
          base64 == null ? new byte[0] : decoded(fields, base64),
          contentType == null ? "application/octet-stream" : contentType);
    }
    return new NewBody(
        Answers.bytes(body == null ? Answers.MAPPER.nullNode() : body),
        contentType == null ? "application/json" : contentType);
  }

  private static byte[] decoded(Fields fields, String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw fields.refuse("bodyBase64", "is not base64");
    }
  }
}
