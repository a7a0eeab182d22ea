// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;

/** How often a message has been given back to its queue; for those who build listeners. */
public final class Returns {
  /**
   * A quorum queue drops what was returned 20 times, or as few times as its {@code
   * x-delivery-limit} says; a message is held again before.
   */
  private static final long MANY = 2;

  private Returns() {}

  /** Whether another return may be one too many; false where the broker does not count them. */
  public static boolean many(BasicProperties properties) {
    return properties.getHeaders() != null
        && properties.getHeaders().get("x-delivery-count") instanceof Number count
        && count.longValue() >= MANY;
  }
}
