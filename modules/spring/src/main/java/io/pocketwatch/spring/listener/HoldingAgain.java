// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

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

  /** Before a message that could not be held again goes back to its queue. */
  private static final Duration BEFORE_RETURN = Duration.ofSeconds(1);

  private HoldingAgain() {}

  /**
   * Returns whether the broker has the other copy; else the received one is the only one, and must
   * not be given up.
   */
  static boolean hold(Judge judge, DeliveryGuard guard, Message message, HoldAgain decision) {
    Instant until = decision.until();
    Optional<String> problem =
        guard.holdAgain(judge.queue(), Wire.delivery(message), until, judge.wanted());
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
    judge.pause(BEFORE_RETURN);
    return false;
  }
}
