// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.InvalidMessageException;
import java.io.IOException;

/** Refuses what the broker would answer by closing the channel or the connection. */
final class SizeCheck {
  private SizeCheck() {}

  static void body(String id, byte[] body, int maxBodySize) {
    if (body.length > maxBodySize) {
      throw new InvalidMessageException(
          id,
          "its body is %d bytes; allowed: %d (publisher.max-body-size)"
              .formatted(body.length, maxBodySize));
    }
  }

  /** All properties travel in one frame, encoded here once as they will be sent. */
  static void properties(String id, BasicProperties properties, int frameMax) {
    int size;
    try {
      size = properties.toFrame(0, 0).size();
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidMessageException(
          id, "its properties cannot be encoded as AMQP: " + e.getMessage(), e);
    }
    if (frameMax > 0 && size > frameMax) {
      throw new InvalidMessageException(
          id,
          "its properties take %d bytes; allowed: %d (the connection's frame size)"
              .formatted(size, frameMax));
    }
  }
}
