// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.guard.ConsumerEvent.Reason;
import io.pocketwatch.internal.base.ErrorWords;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts copies back on hold that came at the wrong time, or whose consumer has deferred them. */
final class HoldAgain {
  private static final Logger LOG = LoggerFactory.getLogger(HoldAgain.class);

  private final DeliveryGuard guard;
  private final ChannelUse use;
  private final ChannelGuard intake;
  private final BrokerAnswers broker;
  private final SerialExecutor holds;

  HoldAgain(DeliveryGuard guard, ChannelUse use, ChannelGuard intake, BrokerAnswers broker) {
    this.guard = guard;
    this.use = use;
    this.intake = intake;
    this.broker = broker;
    this.holds = guard.serial();
  }

  /**
   * The received copy is given up only when the broker has the other one. While it takes none, the
   * received one waits here, and then in its queue.
   *
   * @param reason null for another attempt, of which was told when it was deferred
   */
  void holdAgain(Arrival arrived, Delivery copy, Instant until, @Nullable Reason reason) {
    holds.execute(
        () ->
            intake.ifUndecided(
                arrived,
                () ->
                    guard.holdAgain(
                        arrived.subscription().queue(),
                        copy,
                        until,
                        problem -> held(arrived, copy, until, reason, problem))));
  }

  private void held(
      Arrival arrived,
      Delivery copy,
      Instant until,
      @Nullable Reason reason,
      @Nullable Throwable problem) {
    if (problem == null) {
      if (reason != null) {
        guard
            .listener()
            .onEvent(new ConsumerEvent.HeldAgain(arrived.consumer(), arrived.key(), reason, until));
      }
      broker.acknowledge(arrived);
      arrived.ended(true);
    } else if (problem instanceof InvalidMessageException) {
      holds.execute(() -> cannotBeHeld(arrived, ErrorWords.of(problem)));
    } else if (!arrived.subscription().takesOne()
        && arrived.age().compareTo(guard.options().storePatience()) < 0) {
      LOG.debug("{} could not be held again yet: {}", arrived, ErrorWords.of(problem));
      intake.againLater(
          arrived,
          () -> {
            if (reason == null) {
              holdAgain(arrived, copy, until, null);
            } else {
              intake.look(arrived);
            }
          });
    } else {
      LOG.warn(
          "{} could not be held again, it goes back to {}: {}",
          arrived,
          arrived.subscription().queue(),
          ErrorWords.of(problem));
      arrived.problem = problem;
      broker.returnToQueue(arrived);
      arrived.ended(false);
    }
  }

  /** As no message that was sent through us. Returned, it would come at once and for ever. */
  private void cannotBeHeld(Arrival arrived, String why) {
    if (use.unholdable() == null) {
      LOG.warn("{} is rejected, it cannot be held again: {}", arrived, why);
      broker.reject(arrived, false);
    } else if (use.unholdable().test(arrived.delivery(), "it cannot be held again: " + why)) {
      broker.acknowledge(arrived);
    } else {
      broker.returnToQueue(arrived);
    }
    arrived.ended(false);
  }
}
