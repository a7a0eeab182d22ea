// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.Tracked;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;

/** Puts copies that came at the wrong time back on hold. */
final class HoldingAgain {
  private static final Logger LOG = LoggerFactory.getLogger(HoldingAgain.class);

  private HoldingAgain() {}

  /**
   * Returns whether the broker has the other copy; else the received one is the only one, and must
   * not be given up. By then that patience has been used up, if it was any.
   */
  static boolean hold(
      Judge judge, DeliveryGuard guard, Message message, HoldAgain decision, Duration patience) {
    Instant until = decision.until();
    Delivery received = Wire.delivery(message);
    Optional<String> problem =
        guard.holdAgain(judge.queue(), received, until, patience, judge.wanted());
    if (problem.isEmpty()) {
      Tracked tracked = Tracked.of(Wire.headers(message));
      guard.tell(
          to ->
              to.heldAgain(
                  guard.consumer(judge.queue()),
                  tracked == null ? null : tracked.key(),
                  decision.reason(),
                  until));
      return true;
    }
    LOG.warn(
        "A message could not be held again, it goes back to {}: {}", judge.queue(), problem.get());
    guard.pauseBeforeReturn(received, until, patience, judge.wanted());
    return false;
  }
}
