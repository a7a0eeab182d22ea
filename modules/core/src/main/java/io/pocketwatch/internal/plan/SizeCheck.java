// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Refuses properties for which the broker would close the channel or the connection. */
final class SizeCheck {
  /** The value may not be encodable, or its bound is not worth computing: encode it. */
  static final long UNKNOWN = 1L << 32;

  /** {@code x-first-death-*}, {@code x-last-death-*}, and one name of 255 bytes anywhere. */
  private static final int SUMMARY_BYTES = 1_500;

  /** One entry of {@code x-death} without queue, exchange and routing keys. */
  private static final int DEATH_BYTES = 96;

  /** Type and length of a key in a list. */
  private static final int KEY_BYTES = 5;

  /** The longest rest of a hold queue's name, after the prefix. */
  private static final int LONGEST_HOLD_NAME = 40;

  /** The bytes of frame, class id, flags, and the properties of fixed width. */
  private static final int FIXED_BYTES = 64;

  /** The bytes of a value's type and length, or of the widest value of fixed width. */
  private static final int VALUE_BYTES = 16;

  private static final int BYTES_PER_CHAR = 3; // of UTF-8; a surrogate pair takes four
  private static final int LONGEST_SHORT_STRING = 255;

  private SizeCheck() {}

  static void body(String id, byte[] body, int maxBodySize) {
    if (body.length > maxBodySize) {
      throw new InvalidMessageException(
          id,
          "its body is %s bytes; allowed: %s (publisher.max-body-size)"
              .formatted(body.length, maxBodySize));
    }
  }

  /**
   * Checks that all properties, as they will be sent, fit in one frame.
   *
   * @param hops the hops of its hold, zero if it is not held. At each the broker adds dead-letter
   *     headers; on delivery all properties must again fit in one frame. A client closes its
   *     connection over a larger frame, at each redelivery
   */
  static void properties(
      String id,
      BasicProperties properties,
      int frameMax,
      int hops,
      String namePrefix,
      RoutingKeys keys) {
    int growth = deadLetterHeaders(hops, namePrefix, keys);
    if (atMost(properties) + growth <= frameMax) {
      return; // almost always, and a bound is much cheaper than encoding
    }
    int size;
    try {
      size = properties.toFrame(0, 0).size();
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidMessageException(
          id, "its properties cannot be encoded as AMQP: " + ErrorWords.of(e), e);
    }
    if (frameMax > 0 && size > frameMax - growth) {
      throw new InvalidMessageException(
          id,
          "its properties take %s bytes; allowed: %s (the connection's frame size of %s"
                  .formatted(size, frameMax - growth, frameMax)
              + (growth == 0 ? ")" : ", less what the broker adds while it is held)"));
    }
  }

  /** An upper bound of the dead-letter headers of so many hops, each a queue of ours. */
  static int deadLetterHeaders(int hops, String namePrefix, RoutingKeys keys) {
    if (hops == 0) {
      return 0;
    }
    int death = DEATH_BYTES + 2 * (namePrefix.length() + LONGEST_HOLD_NAME);
    death += KEY_BYTES + keys.routingKey().getBytes(StandardCharsets.UTF_8).length;
    for (String key : keys.cc()) {
      death += KEY_BYTES + key.getBytes(StandardCharsets.UTF_8).length;
    }
    return SUMMARY_BYTES + hops * death;
  }

  /** An upper bound of the encoded bytes; {@link #UNKNOWN} or more if there is none. */
  static long atMost(BasicProperties properties) {
    long size = FIXED_BYTES;
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
    if (properties.getHeaders() != null) {
      for (Map.Entry<String, Object> header : properties.getHeaders().entrySet()) {
        size += shortString(header.getKey()) + value(header.getValue());
      }
    }
    return size;
  }

  private static long shortString(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    long most = (long) BYTES_PER_CHAR * text.length();
    return most > LONGEST_SHORT_STRING ? UNKNOWN : 1 + most;
  }

  /** Big decimals have their own limits, and some other numbers have no encoding. */
  private static long value(@Nullable Object value) {
    if (value instanceof String text) {
      return VALUE_BYTES + (long) BYTES_PER_CHAR * text.length();
    }
    if (value instanceof LongString text) {
      return VALUE_BYTES + text.length();
    }
    if (value instanceof List<?> list) {
      return VALUE_BYTES
          + list.stream().mapToLong(each -> each instanceof String ? value(each) : UNKNOWN).sum();
    }
    return value instanceof Long
            || value instanceof Integer
            || value instanceof Short
            || value instanceof Byte
            || value instanceof Double
            || value instanceof Float
            || value instanceof Boolean
            || value instanceof Date
        ? VALUE_BYTES
        : UNKNOWN;
  }
}
