// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.InvalidMessageException;
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
   * For a copy that is returned to its queue otherwise: returns whether the broker has the other
   * copy; else the received one is the only one, and must not be given up.
   */
  static boolean hold(
      Judge judge, DeliveryGuard guard, Message message, HoldAgain decision, Duration patience) {
    Delivery received = Wire.delivery(message);
    if (held(judge, guard, received, decision, patience)) {
      return true;
    }
    guard.pauseBeforeReturn(received, decision.until(), patience, judge.wanted());
    return false;
  }

  /** For one that cannot be returned: tries until it is to be handled, and returns the same. */
  static boolean holdByThen(Judge judge, DeliveryGuard guard, Message message, HoldAgain decision) {
    Duration left = Duration.between(judge.now(message), decision.until());
    return held(judge, guard, Wire.delivery(message), decision, left);
  }

  private static boolean held(
      Judge judge, DeliveryGuard guard, Delivery received, HoldAgain decision, Duration patience) {
    Instant until = decision.until();
    Optional<String> problem;
    try {
      problem = guard.holdAgain(judge.queue(), received, until, patience, judge.wanted());
    } catch (InvalidMessageException e) {
      problem = Optional.ofNullable(e.getMessage());
    }
    if (problem.isPresent()) {
      LOG.warn("A message of {} could not be held again: {}", judge.queue(), problem.get());
      return false;
    }
    Tracked tracked = Tracked.of(received.getProperties());
    guard.tell(
        to ->
            to.heldAgain(
                guard.consumer(judge.queue()),
                tracked == null ? null : tracked.key(),
                decision.reason(),
                until));
    return true;
  }
}
