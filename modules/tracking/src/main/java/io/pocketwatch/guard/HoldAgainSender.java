// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.guard.Arrival.Stage;
import io.pocketwatch.internal.base.ErrorWords;
import java.time.Instant;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the broker hold messages again: those that came early, and those without a row that their
 * consumer has deferred. For the channel's events.
 */
final class HoldAgainSender {
  private static final Logger LOG = LoggerFactory.getLogger(HoldAgainSender.class);

  private final DeliveryGuard guard;
  private final ChannelUse use;
  private final OutgoingAcks outgoing;
  private final SerialExecutor events;

  /** Publishing may wait for a place. */
  private final SerialExecutor sending;

  HoldAgainSender(
      DeliveryGuard guard, ChannelUse use, OutgoingAcks outgoing, SerialExecutor events) {
    this.guard = guard;
    this.use = use;
    this.outgoing = outgoing;
    this.events = events;
    this.sending = guard.serial();
  }

  /**
   * The received copy is acknowledged only when the broker has confirmed the other one. Until then
   * the received one waits here, and later in its queue.
   *
   * @param early false for another attempt, of which was told when it was deferred
   */
  void hold(Arrival arrived, Delivery copy, Instant until, boolean early) {
    arrived.stage = Stage.ASKED;
    sending.execute(
        () ->
            guard.holdAgain(
                arrived.subscription().queue(),
                copy,
                until,
                problem -> events.execute(() -> held(arrived, copy, until, early, problem))));
  }

  private void held(
      Arrival arrived, Delivery copy, Instant until, boolean early, @Nullable Throwable problem) {
    if (problem == null) {
      if (early) {
        guard
            .listener()
            .onEvent(
                new ConsumerEvent.HeldAgain(
                    arrived.consumer(), arrived.key(), guard.route(arrived), until));
      }
      outgoing.acknowledge(arrived);
    } else if (arrived.stage == Stage.RETURNING) {
      outgoing.returnToQueue(arrived);
    } else if (problem instanceof InvalidMessageException) {
      cannotBeHeld(arrived, ErrorWords.of(problem));
    } else if (arrived.age(guard.time().nanoTime()).compareTo(guard.options().storePatience())
        < 0) {
      LOG.debug("{} could not be held again yet: {}", arrived, ErrorWords.of(problem));
      if (!guard.again(arrived, events, () -> hold(arrived, copy, until, early))) {
        outgoing.returnToQueue(arrived);
      }
    } else {
      LOG.warn(
          "{} could not be held again, it goes back to {}: {}",
          arrived,
          arrived.subscription().queue(),
          ErrorWords.of(problem));
      outgoing.returnToQueue(arrived);
    }
  }

  /** No message sent through us is so. Requeued, it would come at once, and for ever. */
  private void cannotBeHeld(Arrival arrived, String why) {
    BiPredicate<Delivery, String> unholdable = use.unholdable();
    if (unholdable == null) {
      LOG.warn("{} is rejected, it cannot be held again: {}", arrived, why);
      outgoing.reject(arrived, false);
      return;
    }
    sending.execute(
        () -> {
          boolean kept = unholdable.test(arrived.delivery(), "it cannot be held again: " + why);
          events.execute(
              () -> {
                if (kept) {
                  outgoing.acknowledge(arrived);
                } else {
                  outgoing.returnToQueue(arrived);
                }
              });
        });
  }
}
