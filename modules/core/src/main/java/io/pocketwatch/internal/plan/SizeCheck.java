// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Refuses what the broker would answer by closing the channel or the connection. */
final class SizeCheck {
  /** {@code x-first-death-*}, {@code x-last-death-*}, and one name of 255 bytes anywhere. */
  private static final int SUMMARY_BYTES = 1_500;

  /** One entry of {@code x-death} without queue, exchange and routing keys. */
  private static final int DEATH_BYTES = 96;

  /** Type and length of a key in a list. */
  private static final int KEY_BYTES = 5;

  /** What follows the prefix in the name of a hold queue, for example of a wheel's. */
  private static final int LONGEST_HOLD_NAME = 40;

  private SizeCheck() {}

  static void body(String id, byte[] body, int maxBodySize) {
    if (body.length > maxBodySize) {
      throw new InvalidMessageException(
          id,
          "its body is %d bytes; allowed: %d (publisher.max-body-size)"
              .formatted(body.length, maxBodySize));
    }
  }

  /**
   * All properties travel in one frame, measured here as they will be sent.
   *
   * @param hops of ours that the message passes, zero if it is not held. For each the broker adds
   *     dead-letter headers, and delivers all properties in one frame again. A client closes the
   *     connection over a larger frame, at every redelivery anew
   */
  static void properties(
      String id,
      BasicProperties properties,
      int frameMax,
      int hops,
      String namePrefix,
      RoutingKeys keys) {
    if (EncodedSize.atMost(properties) + growthAtMost(hops, namePrefix, keys) <= frameMax) {
      return; // by far the commonest case, and bounding is much cheaper than encoding
    }
    int size;
    try {
      size = properties.toFrame(0, 0).size();
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidMessageException(
          id, "its properties cannot be encoded as AMQP: " + ErrorWords.of(e), e);
    }
    int growth = deadLetterHeaders(hops, namePrefix, keys);
    if (frameMax > 0 && size > frameMax - growth) {
      throw new InvalidMessageException(
          id,
          "its properties take %d bytes; allowed: %d (the connection's frame size of %d"
                  .formatted(size, frameMax - growth, frameMax)
              + (growth == 0 ? ")" : ", less what the broker adds while it is held)"));
    }
  }

  /** At most how much the dead-letter headers of so many hops take, each a queue of ours. */
  static int deadLetterHeaders(int hops, String namePrefix, RoutingKeys keys) {
    int keyBytes =
        Stream.concat(Stream.of(keys.routingKey()), keys.cc().stream())
            .mapToInt(key -> KEY_BYTES + key.getBytes(StandardCharsets.UTF_8).length)
            .sum();
    return (int) growth(hops, namePrefix, keyBytes);
  }

  private static long growthAtMost(int hops, String namePrefix, RoutingKeys keys) {
    long keyBytes = KEY_BYTES + EncodedSize.text(keys.routingKey());
    for (String key : keys.cc()) {
      keyBytes += KEY_BYTES + EncodedSize.text(key);
    }
    return growth(hops, namePrefix, keyBytes);
  }

  private static long growth(int hops, String namePrefix, long keyBytes) {
    int nameBytes = namePrefix.length() + LONGEST_HOLD_NAME;
    return hops == 0 ? 0 : SUMMARY_BYTES + hops * (DEATH_BYTES + 2 * nameBytes + keyBytes);
  }
}
