// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import java.time.Duration;

/**
 * How long each message of a channel may wait at its consumer. What the broker had sent ahead of a
 * wait has waited together with the one before it, and waits no more: a consumer timeout would
 * come. What was sent since has not, and would be dropped by its queue for coming back too fast.
 */
final class SentAhead {
  private final String queue;
  private final GuardOptions options;
  private final LastReturns returns;

  private PastWait last = PastWait.NONE;

  /**
   * @param returns of all who consume that queue: what went back after a wait was sent after it
   */
  SentAhead(String queue, GuardOptions options, LastReturns returns) {
    this.queue = queue;
    this.options = options;
    this.returns = returns;
  }

  Duration patience(Delivery arrived) {
    long tag = arrived.getEnvelope().getDeliveryTag();
    boolean ahead = last.includes(queue, tag, arrived.getProperties(), returns);
    return ahead ? Duration.ZERO : options.storePatience();
  }

  void hasWaited(Delivery arrived, Duration patience) {
    if (!patience.isZero()) {
      last = PastWait.of(arrived.getEnvelope().getDeliveryTag(), options.prefetch());
    }
  }

  void goesBack(Delivery arrived) {
    returns.add(queue, arrived.getProperties());
  }
}
