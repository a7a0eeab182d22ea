// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a message to publish.
 *
 * @param bytes the body
 * @param contentType its content type
 */
@SuppressWarnings("ArrayRecordComponent") // handed through, never compared
record NewBody(byte[] bytes, String contentType) {
  /** The field whose value is sent as the JSON text it came as. */
  static final String JSON = "body";

  /** The field whose value is decoded. */
  static final String BASE64 = "bodyBase64";

  private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  static NewBody read(Fields fields) {
    String contentType = fields.text("contentType");
    boolean json = fields.has(JSON);
    byte[] body = payload(fields, JSON);
    byte[] base64 = payload(fields, BASE64);
    if (json && base64 != null) {
      throw fields.refuse(BASE64, "cannot be given together with body");
    }
    if (base64 != null || !json) {
      return new NewBody(
          base64 == null ? new byte[0] : decoded(fields, base64),
          contentType == null ? "application/octet-stream" : contentType);
    }
    return new NewBody(
        body == null ? NULL : body, contentType == null ? "application/json" : contentType);
  }

  /** The bytes of a field's value, as {@link Bodies} left them. */
  private static byte @Nullable [] payload(Fields fields, String field) {
    JsonNode value = fields.value(field);
    try {
      return value == null ? null : value.binaryValue();
    } catch (IOException e) {
      throw new IllegalStateException("a payload is left as bytes", e);
    }
  }

  private static byte[] decoded(Fields fields, byte[] text) {
    if (text[0] != '"') {
      throw fields.refuse(BASE64, "is not a text");
    }
    try {
      return Base64.getDecoder().decode(withoutQuotes(text));
    } catch (IllegalArgumentException e) {
      throw fields.refuse(BASE64, "is not base64");
    }
  }

  /** Removes quotes, and the backslash that some encoders put before a slash. */
  private static byte[] withoutQuotes(byte[] text) {
    byte[] plain = new byte[text.length];
    int length = 0;
    for (int at = 1; at < text.length - 1; at++) {
      boolean escaped = text[at] == '\\' && text[at + 1] == '/';
      if (!escaped) {
        plain[length++] = text[at];
      }
    }
    return Arrays.copyOf(plain, length);
  }
}
