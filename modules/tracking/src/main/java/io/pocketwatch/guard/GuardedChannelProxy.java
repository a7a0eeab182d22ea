// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.CancelCallback;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.ConsumerShutdownSignalCallback;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.DeliverCallback;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a channel that concern consuming, passed to its guard; all others go to the channel
 * itself. A proxy, since channels of frameworks have interfaces of their own.
 */
final class GuardedChannelProxy implements InvocationHandler {
  private static final String NO_TRANSACTIONS =
      "%s: a guarded channel has no transactions. Settle in the transaction of your database, or let"
          + " the guard settle after the acknowledgement; send in a transaction on another channel";
  private static final String NO_SINGLE_MESSAGES =
      "%s: single messages cannot be taken from a guarded channel. Consume with a prefetch of 1, and"
          + " cancel after the message";
  private static final String NO_RECOVER =
      "%s: a guarded channel cannot have all messages sent again. Requeue each by basicNack, or"
          + " close the channel";

  private final ChannelGuard guard;
  private final Channel channel;

  private GuardedChannelProxy(ChannelGuard guard) {
    this.guard = guard;
    this.channel = guard.channel();
  }

  static GuardedChannel inFrontOf(ChannelGuard guard) {
    Channel channel = guard.channel();
    Set<Class<?>> interfaces = new LinkedHashSet<>(List.of(GuardedChannel.class));
    for (Class<?> type = channel.getClass(); type != null; type = type.getSuperclass()) {
      Stream.of(type.getInterfaces())
          .filter(each -> Modifier.isPublic(each.getModifiers()))
          .forEach(interfaces::add);
    }
    return (GuardedChannel)
        Proxy.newProxyInstance(
            GuardedChannel.class.getClassLoader(),
            interfaces.toArray(new Class<?>[0]),
            new GuardedChannelProxy(guard));
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    @Nullable Object[] arguments = given == null ? new Object[0] : given;
    switch (method.getName()) {
      case "delivery" -> {
        return guard.answers().delivery((long) at(arguments, 0));
      }
      case "basicAck" ->
          guard.answers().answer((long) at(arguments, 0), is(arguments, 1), Disposition.ACK);
      case "basicNack" ->
          guard.answers().answer((long) at(arguments, 0), is(arguments, 1), nack(is(arguments, 2)));
      case "basicReject" ->
          guard.answers().answer((long) at(arguments, 0), false, nack(is(arguments, 1)));
      case "basicQos" -> {
        List<Integer> numbers = all(arguments, Integer.class);
        guard.prefetch(numbers.get(numbers.size() - 1));
        return pass(method, given);
      }
      case "basicConsume" -> {
        return guard.consume(terms(arguments), consumer(arguments)).tag();
      }
      case "basicCancel" -> guard.cancel((String) at(arguments, 0));
      case "txSelect", "txCommit", "txRollback" -> throw refusal(NO_TRANSACTIONS, method);
      case "basicGet" -> throw refusal(NO_SINGLE_MESSAGES, method);
      case "basicRecover" -> throw refusal(NO_RECOVER, method);
      case "close", "abort" -> {
        guard.close();
        return pass(method, given);
      }
      case "equals" -> {
        return self == at(arguments, 0);
      }
      case "hashCode" -> {
        return System.identityHashCode(self);
      }
      case "toString" -> {
        return "guarded " + channel;
      }
      default -> {
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

  private static UnsupportedOperationException refusal(String words, Method called) {
    return new UnsupportedOperationException(words.formatted(called.getName()));
  }

  private static Disposition nack(boolean requeue) {
    return requeue ? Disposition.REQUEUE : Disposition.REJECT;
  }

  @SuppressWarnings("NullAway") // what AMQP has no null for
  private static Object at(@Nullable Object[] arguments, int index) {
    return arguments[index];
  }

  private static boolean is(@Nullable Object[] arguments, int index) {
    return Boolean.TRUE.equals(arguments[index]);
  }

  /** All forms of {@code basicConsume} have these in one order, and leave some out. */
  @SuppressWarnings("unchecked") // as the channel declares it
  private static Subscription.Terms terms(@Nullable Object[] arguments) {
    List<String> texts = all(arguments, String.class);
    List<Boolean> flags = all(arguments, Boolean.class);
    List<Map<String, Object>> tables =
        (List<Map<String, Object>>) (List<?>) all(arguments, Map.class);
    return new Subscription.Terms(
        texts.get(0),
        !flags.isEmpty() && flags.get(0),
        texts.size() > 1 ? texts.get(1) : "",
        flags.size() > 1 && flags.get(1),
        flags.size() > 2 && flags.get(2),
        tables.isEmpty() ? Map.of() : tables.get(0));
  }

  private Consumer consumer(@Nullable Object[] arguments) {
    return all(arguments, Consumer.class).stream()
        .findFirst()
        .orElseGet(
            () ->
                new Callbacks(
                    channel,
                    all(arguments, DeliverCallback.class),
                    all(arguments, CancelCallback.class),
                    all(arguments, ConsumerShutdownSignalCallback.class)));
  }

  private static <T> List<T> all(@Nullable Object[] arguments, Class<T> type) {
    return Stream.of(arguments).filter(type::isInstance).map(type::cast).toList();
  }

  /** A consumer of callbacks; each is there once or not at all. */
  private static final class Callbacks extends DefaultConsumer {
    private final List<DeliverCallback> delivered;
    private final List<CancelCallback> cancelled;
    private final List<ConsumerShutdownSignalCallback> shutDown;

    Callbacks(
        Channel channel,
        List<DeliverCallback> delivered,
        List<CancelCallback> cancelled,
        List<ConsumerShutdownSignalCallback> shutDown) {
      super(channel);
      this.delivered = delivered;
      this.cancelled = cancelled;
      this.shutDown = shutDown;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) throws IOException {
      for (DeliverCallback each : delivered) {
        each.handle(tag, new Delivery(envelope, properties, body));
      }
    }

    @Override
    public void handleCancel(String tag) throws IOException {
      for (CancelCallback each : cancelled) {
        each.handle(tag);
      }
    }

    @Override
    public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
      shutDown.forEach(each -> each.handleShutdownSignal(tag, cause));
    }
  }
}
