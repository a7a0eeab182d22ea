// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.HandlingEnd;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.util.ClassUtils;

/**
 * The channel of a container whose listeners acknowledge, themselves or by the end of their future:
 * what they acknowledge is settled first, what they reject has failed, what they requeue is
 * released. Thread-safe where the channel is.
 */
final class ManualChannel implements InvocationHandler {
  private final Channel channel;
  private final Channel proxy;
  private final NavigableMap<Long, InHand> open = new TreeMap<>();

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
    synchronized (open) {
      open.put(inHand.tag(), inHand);
    }
  }

  void forget(Collection<InHand> rejected) {
    synchronized (open) {
      rejected.forEach(hand -> open.remove(hand.tag(), hand));
    }
  }

  /** The channel is closed: what was not acknowledged comes again, elsewhere. */
  void closed() {
    take(0, true).forEach(InHand::keepNoLonger);
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
          take(0, true).forEach(InHand::abandon);
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
    List<InHand> hands = take(tag, multiple);
    if (Transactions.active()) {
      Transactions.afterCompletion(
          committed -> hands.forEach(committed ? InHand::settle : InHand::abandon));
      channel.basicAck(tag, multiple);
      return;
    }
    List<InHand> again =
        hands.stream().filter(hand -> hand.settle() == HandlingEnd.NO_ANSWER).toList();
    if (again.isEmpty()) {
      channel.basicAck(tag, multiple);
      return;
    }
    for (InHand hand : hands) {
      if (again.contains(hand)) {
        channel.basicNack(hand.tag(), false, true);
      } else {
        channel.basicAck(hand.tag(), false);
      }
    }
  }

  private void nack(long tag, boolean multiple, boolean requeue) throws IOException {
    List<InHand> hands = take(tag, multiple);
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

  /** All deliveries pass through here, so that these are all that "multiple" means. */
  private List<InHand> take(long tag, boolean multiple) {
    synchronized (open) {
      NavigableMap<Long, InHand> meant =
          multiple && tag == 0
              ? open
              : multiple ? open.headMap(tag, true) : open.subMap(tag, true, tag, true);
      List<InHand> hands = new ArrayList<>(meant.values());
      meant.clear();
      return hands;
    }
  }
}
