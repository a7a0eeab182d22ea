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
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.util.ClassUtils;

/**
 * The channel of a container whose listeners acknowledge, themselves or by the end of their future:
 * what they acknowledge is settled first; what they reject has failed, what they requeue is
 * released. In a transaction of theirs all that waits for its end, and for the listener's.
 * Thread-safe where the channel is.
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
          abandonAll();
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
    return answerAfterTransaction(
        tag,
        multiple,
        (begun, committed) -> {
          if (committed) {
            List<InHand> again = settle(begun);
            ifOpen(unanswered.take(begun), hands -> answer(hands, again));
          } else {
            returnAll(unanswered.acknowledgedInVain(begun));
          }
        },
        rest -> {
          settle(rest);
          answer(rest, List.of());
        });
  }

  /**
   * Answers what has a row when the transaction has ended, and the rest of what is meant now.
   *
   * @param end is told what has a row, and whether the transaction committed
   * @return false if nothing has a row
   */
  private boolean answerAfterTransaction(
      long tag, boolean multiple, BiConsumer<List<InHand>, Boolean> end, Answer now)
      throws IOException {
    List<InHand> meant = unanswered.meant(tag, multiple);
    List<InHand> begun = meant.stream().filter(hand -> hand.handling() != null).toList();
    if (begun.isEmpty()) {
      return false;
    }
    Transactions.afterCompletion(committed -> end.accept(begun, committed));
    meant.removeAll(begun);
    now.give(unanswered.take(meant));
    return true;
  }

  /** Returns those that are to come again. */
  private static List<InHand> settle(List<InHand> hands) {
    return hands.stream().filter(hand -> hand.settle() == HandlingEnd.NO_ANSWER).toList();
  }

  private void returnAll(List<InHand> hands) {
    List<InHand> again = hands.stream().filter(hand -> !hand.failIfGivenUp()).toList();
    again.forEach(InHand::abandon);
    ifOpen(unanswered.take(hands), ours -> answer(ours, again));
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
  private static void ifOpen(List<InHand> hands, Answer answer) {
    try {
      answer.give(hands);
    } catch (IOException | RuntimeException e) {
      LOG.warn("The broker could not be told of {} after a transaction; it returns them", hands, e);
    }
  }

  @FunctionalInterface
  private interface Answer {
    void give(List<InHand> hands) throws IOException;
  }

  private void nack(long tag, boolean multiple, boolean requeue) throws IOException {
    if (Transactions.active() && nackAfterTransaction(tag, multiple, requeue)) {
      return;
    }
    List<InHand> hands = unanswered.take(tag, multiple);
    List<InHand> overtaken = release(hands, requeue);
    if (requeue || overtaken.isEmpty()) {
      channel.basicNack(tag, multiple, requeue);
    } else {
      nackEach(hands, overtaken);
    }
  }

  /**
   * Rejects what has a row when the transaction has ended, whether it commits or not: until then it
   * may hold the row's lock, and this thread would wait for itself. The broker is told then, too,
   * for what it returns sooner is still in hand; a transacted channel tells it no sooner.
   *
   * @return false if there is nothing to fail or to release
   */
  private boolean nackAfterTransaction(long tag, boolean multiple, boolean requeue)
      throws IOException {
    if (Transactions.transacted(channel)) {
      List<InHand> hands = unanswered.take(tag, multiple);
      Transactions.afterCompletion(committed -> release(hands, requeue));
      channel.basicNack(tag, multiple, requeue);
      return true;
    }
    return answerAfterTransaction(
        tag,
        multiple,
        (begun, committed) -> {
          List<InHand> left = unanswered.take(begun); // a later attempt may have answered
          List<InHand> overtaken = release(left, requeue);
          ifOpen(left, hands -> nackEach(hands, requeue ? hands : overtaken));
        },
        rest -> {
          release(rest, requeue);
          nackEach(rest, requeue ? rest : List.of());
        });
  }

  /** Returns those that are settled, or that someone else handles: another look will tell. */
  private static List<InHand> release(List<InHand> hands, boolean requeue) {
    AmqpRejectAndDontRequeueException rejected =
        new AmqpRejectAndDontRequeueException("rejected by its listener");
    return hands.stream()
        .filter(hand -> (requeue ? hand.abandon() : hand.fail(rejected)) == HandlingEnd.OVERTAKEN)
        .toList();
  }

  private void nackEach(List<InHand> hands, List<InHand> again) throws IOException {
    for (InHand hand : hands) {
      channel.basicNack(hand.tag(), false, again.contains(hand));
    }
  }

  /** The broker returns all of them, now. */
  private void abandonAll() {
    List<InHand> hands = unanswered.take(0, true);
    if (Transactions.active()) {
      Transactions.afterCompletion(committed -> hands.forEach(InHand::abandon));
    } else {
      hands.forEach(InHand::abandon);
    }
  }
}
