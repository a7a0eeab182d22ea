// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.HandlingEnd;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.util.ClassUtils;

/**
 * The channel of a container whose listeners acknowledge, themselves or by the end of their future:
 * what they acknowledge is settled first, and in a transaction of theirs when that has committed;
 * what they reject has failed, what they requeue is released. Thread-safe where the channel is.
 */
final class ManualChannel implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ManualChannel.class);

  private final Channel channel;
  private final Channel proxy;
  private final Unanswered unanswered = new Unanswered();

  ManualChannel(Channel channel) {
    this.channel = channel;
    this.proxy =
        (Channel)
            Proxy.newProxyInstance(
                channel.getClass().getClassLoader(), // sees all that it implements
                ClassUtils.getAllInterfaces(channel),
                this);
  }

  Channel proxy() {
    return proxy;
  }

  void add(InHand inHand) {
    unanswered.add(inHand);
  }

  void forget(Collection<InHand> rejected) {
    unanswered.returned(rejected);
    unanswered.take(rejected);
  }

  /** The channel is closed: what was not acknowledged comes again, elsewhere. */
  void closed() {
    unanswered.take(0, true).forEach(InHand::keepNoLonger);
  }

  /**
   * Their listener has returned, after its last attempt. What it acknowledged in a transaction that
   * did not commit comes again, unless a recoverer has taken it.
   */
  void returned(Collection<InHand> hands) {
    returnAll(unanswered.returned(hands));
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    Object[] arguments = given == null ? new Object[0] : given;
    switch (method.getName()) {
      case "basicAck" -> ack((long) arguments[0], (boolean) arguments[1]);
      case "basicNack" -> nack((long) arguments[0], (boolean) arguments[1], (boolean) arguments[2]);
      case "basicReject" -> nack((long) arguments[0], false, (boolean) arguments[1]);
      case "equals" -> {
        return self == arguments[0];
      }
      case "hashCode" -> {
        return System.identityHashCode(self);
      }
      default -> {
        if (method.getName().equals("basicRecover")) {
          unanswered.take(0, true).forEach(InHand::abandon);
        }
        return pass(method, given);
      }
    }
    return null;
  }

  private @Nullable Object pass(Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(channel, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private void ack(long tag, boolean multiple) throws IOException {
    if (Transactions.active() && ackWithTransaction(tag, multiple)) {
      return;
    }
    List<InHand> hands = unanswered.take(tag, multiple);
    List<InHand> again = settle(hands);
    if (again.isEmpty()) {
      channel.basicAck(tag, multiple);
    } else {
      answer(hands, again);
    }
  }

  /**
   * Acknowledges what has something to settle when the listener's transaction has committed: a
   * broker that is told before it drops what the transaction then rolls back. A transacted channel
   * tells it no sooner. What has no row is acknowledged as it always was.
   *
   * @return false if there is nothing to settle
   */
  private boolean ackWithTransaction(long tag, boolean multiple) throws IOException {
    if (Transactions.transacted(channel)) {
      Transactions.settleAfterCompletion(unanswered.take(tag, multiple));
      channel.basicAck(tag, multiple);
      return true;
    }
    List<InHand> meant = unanswered.meant(tag, multiple);
    List<InHand> begun = meant.stream().filter(hand -> hand.handling() != null).toList();
    if (begun.isEmpty()) {
      return false;
    }
    Transactions.afterCompletion(
        committed -> {
          if (committed) {
            List<InHand> again = settle(begun);
            answerIfOpen(unanswered.take(begun), again);
          } else {
            returnAll(unanswered.acknowledgedInVain(begun));
          }
        });
    meant.removeAll(begun);
    List<InHand> rest = unanswered.take(meant);
    settle(rest);
    answer(rest, List.of());
    return true;
  }

  /** Returns those that are to come again. */
  private static List<InHand> settle(List<InHand> hands) {
    return hands.stream().filter(hand -> hand.settle() == HandlingEnd.NO_ANSWER).toList();
  }

  private void returnAll(List<InHand> hands) {
    List<InHand> again = hands.stream().filter(hand -> !hand.failIfGivenUp()).toList();
    again.forEach(InHand::abandon);
    answerIfOpen(unanswered.take(hands), again);
  }

  private void answer(List<InHand> hands, List<InHand> again) throws IOException {
    for (InHand hand : hands) {
      if (again.contains(hand)) {
        channel.basicNack(hand.tag(), false, true);
      } else {
        channel.basicAck(hand.tag(), false);
      }
    }
  }

  /**
   * Nobody is left to be told that it is not: then all of them come again, and are decided anew.
   */
  private void answerIfOpen(List<InHand> hands, List<InHand> again) {
    try {
      answer(hands, again);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not be acknowledged after a transaction, and will come again", hands, e);
    }
  }

  private void nack(long tag, boolean multiple, boolean requeue) throws IOException {
    List<InHand> hands = unanswered.take(tag, multiple);
    AmqpRejectAndDontRequeueException rejected =
        new AmqpRejectAndDontRequeueException("rejected by its listener");
    List<InHand> overtaken =
        hands.stream()
            .filter(
                hand -> (requeue ? hand.abandon() : hand.fail(rejected)) == HandlingEnd.OVERTAKEN)
            .toList();
    if (requeue || overtaken.isEmpty()) {
      channel.basicNack(tag, multiple, requeue);
      return;
    }
    for (InHand hand : hands) { // settled or taken over: another look will tell
      channel.basicNack(hand.tag(), false, overtaken.contains(hand));
    }
  }
}
