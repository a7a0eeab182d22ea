// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the encoded size of properties from above without encoding them, which would cost about as
 * much as all the rest of planning.
 */
final class EncodedSize {
  /** Not known to be encodable, or not worth bounding: encode it and see. */
  static final long UNKNOWN = 1L << 32;

  /** Frame, class id, flags, and the properties of fixed width. */
  private static final int FIXED = 64;

  private static final int BYTES_PER_CHAR = 3; // of UTF-8; a surrogate pair takes four
  private static final int LONGEST_SHORT_STRING = 255;
  private static final int VALUE = 16; // type and length, or the widest fixed value

  private EncodedSize() {}

  /** At most that many bytes, and certainly encodable; or {@link #UNKNOWN} or more. */
  static long atMost(BasicProperties properties) {
    long size = FIXED;
    size += shortString(properties.getContentType());
    size += shortString(properties.getContentEncoding());
    size += shortString(properties.getCorrelationId());
    size += shortString(properties.getReplyTo());
    size += shortString(properties.getExpiration());
    size += shortString(properties.getMessageId());
    size += shortString(properties.getType());
    size += shortString(properties.getUserId());
    size += shortString(properties.getAppId());
    size += shortString(properties.getClusterId());
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null) {
      return size;
    }
    for (Map.Entry<String, Object> header : headers.entrySet()) {
      size += shortString(header.getKey()) + value(header.getValue());
    }
    return size;
  }

  /** As many bytes as a text can take, for keys and names known to be short. */
  static long text(String text) {
    return (long) BYTES_PER_CHAR * text.length();
  }

  private static long shortString(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    return text(text) > LONGEST_SHORT_STRING ? UNKNOWN : 1 + text(text);
  }

  private static long value(@Nullable Object value) {
    if (value instanceof String text) {
      return VALUE + text(text);
    }
    if (value instanceof LongString text) {
      return VALUE + text.length();
    }
    return value instanceof List<?> list ? texts(list) : fixed(value);
  }

  /** Big decimals have limits of their own, and other numbers no encoding. */
  private static long fixed(@Nullable Object value) {
    return value instanceof Long
            || value instanceof Integer
            || value instanceof Short
            || value instanceof Byte
            || value instanceof Double
            || value instanceof Float
            || value instanceof Boolean
            || value instanceof Date
        ? VALUE
        : UNKNOWN;
  }

  private static long texts(List<?> list) {
    long size = VALUE;
    for (Object element : list) {
      if (!(element instanceof String text)) {
        return UNKNOWN;
      }
      size += VALUE + text(text);
    }
    return size;
  }
}
