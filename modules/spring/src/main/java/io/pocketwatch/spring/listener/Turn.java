// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.HandlingEnd;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.RabbitUtils;

/**
 * What a listener is called with, and what becomes of it afterwards.
 *
 * @param items the messages it gets; empty if there is nothing for it to do
 * @param channel the container's
 * @param manual by whom the listener acknowledges; null if the container does
 * @param last whether no further fragment of the delivery follows
 * @param heldBack what else was in its batch and is to be held again; null if nothing was
 */
record Turn(
    List<Item> items,
    Channel channel,
    @Nullable ManualChannel manual,
    boolean last,
    @Nullable HeldBack heldBack) {

  /** One message, and the delivery it is, or is a fragment of. */
  record Item(Message message, InHand inHand) {}

  static Turn nothing(Channel channel) {
    return new Turn(List.of(), channel, null, true, null);
  }

  List<Message> messages() {
    return items.stream().map(Item::message).toList();
  }

  List<DeliveryInProgress> inProgress() {
    return items.stream()
        .map(item -> new DeliveryInProgress(item.message(), item.inHand()))
        .toList();
  }

  Channel listenersChannel() {
    return manual == null ? channel : manual.proxy();
  }

  private Set<InHand> hands() {
    Set<InHand> hands = new LinkedHashSet<>();
    items.forEach(item -> hands.add(item.inHand()));
    return hands;
  }

  /** The container's advices returned; the listener may have failed and been recovered from. */
  void returned(Attempts attempts) {
    Throwable swallowed = attempts.swallowed();
    if (swallowed != null) {
      hands().forEach(hand -> hand.giveUp(swallowed));
    }
    if (last) {
      done();
    }
  }

  private void done() {
    if (manual != null) {
      hands().forEach(InHand::failIfGivenUp); // settled when the listener acknowledges
      manual.returned(hands());
    } else if (Transactions.active()) {
      Transactions.settleAfterCompletion(hands());
    } else {
      commitSends();
      settle(hands());
    }
    if (heldBack != null && !heldBack.holdAgain()) { // what is settled is skipped when it comes
      throw notHeld(null);
    }
  }

  private AmqpException notHeld(@Nullable Throwable thrown) {
    return ComesAgain.of(messages(), "others of their batch could not be held again", thrown);
  }

  /**
   * What the listener sent in the container's channel transaction must be there before the message
   * counts as settled: the container commits afterwards, and that may fail.
   */
  private void commitSends() {
    if (Transactions.transacted(channel)) {
      try {
        RabbitUtils.commitIfNecessary(channel);
      } catch (RuntimeException e) {
        hands().forEach(InHand::abandon);
        throw e;
      }
    }
  }

  private void settle(Collection<InHand> hands) {
    List<InHand> again =
        hands.stream().filter(hand -> hand.settle() == HandlingEnd.NO_ANSWER).toList();
    if (!again.isEmpty()) {
      throw ComesAgain.of(messages(), "handled, but could not be settled: " + again, null);
    }
  }

  /**
   * The container's advices threw.
   *
   * @return what to throw to the container
   */
  Throwable failed(Attempts attempts, Throwable thrown) {
    Throwable listeners = attempts.lastFailure();
    if (listeners != null
        && Causes.asksForAcknowledgement(listeners)
        && Causes.asksForAcknowledgement(thrown)) {
      done(); // the listener's own wish; a stateful retry's recoverer throws it, too
      return thrown;
    }
    if (manual != null) {
      if (Causes.asksForManualRejection(thrown)) {
        manual.forget(hands()); // the container rejects them past that channel
      } else {
        manual.returned(hands());
      }
    }
    boolean requeue = Causes.asksForRequeue(thrown);
    if (Transactions.active()) {
      Set<InHand> hands = hands();
      Transactions.afterCompletion(
          committed ->
              hands.forEach(
                  committed ? InHand::settle : requeue ? InHand::abandon : it -> it.fail(thrown)));
      return away(thrown);
    }
    boolean overtaken = false;
    for (InHand hand : hands()) {
      overtaken |=
          hand.isOvertaken()
              || (requeue ? hand.abandon() : hand.fail(thrown)) == HandlingEnd.OVERTAKEN;
    }
    // Settled by the transaction that seemed to fail, or taken over: another look will tell.
    return overtaken && !requeue
        ? ComesAgain.of(messages(), "settled or taken over: " + hands(), thrown)
        : away(thrown);
  }

  /**
   * The container may reject or acknowledge the whole batch; what was held back must not be lost.
   */
  private Throwable away(Throwable thrown) {
    return heldBack == null || heldBack.comeAgain(thrown) || heldBack.holdAgain()
        ? thrown
        : notHeld(thrown);
  }
}
