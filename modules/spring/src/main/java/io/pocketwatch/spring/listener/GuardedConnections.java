// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.ChannelUse;
import io.pocketwatch.guard.DeliveryGuard;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.core.InfrastructureProxy;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.ClassUtils;

/**
 * The connection factory of one container: the user's, with the guard in front of its channels. A
 * transacted channel has none. To Spring's transactions the factory equals the user's own, so that
 * a template in the listener shares the container's channel.
 */
final class GuardedConnections implements InvocationHandler {
  private final ConnectionFactory target;
  private final Supplier<DeliveryGuard> guard;
  private final Supplier<ChannelUse> use;

  private GuardedConnections(
      ConnectionFactory target, Supplier<DeliveryGuard> guard, Supplier<ChannelUse> use) {
    this.target = target;
    this.guard = guard;
    this.use = use;
  }

  /**
   * @param guard asked for each channel
   * @param use how the container answers, asked for each channel
   */
  static ConnectionFactory of(
      ConnectionFactory target, Supplier<DeliveryGuard> guard, Supplier<ChannelUse> use) {
    return isGuarded(target)
        ? target
        : (ConnectionFactory) proxy(target, new GuardedConnections(target, guard, use));
  }

  static boolean isGuarded(@Nullable ConnectionFactory factory) {
    return factory != null
        && Proxy.isProxyClass(factory.getClass())
        && Proxy.getInvocationHandler(factory) instanceof GuardedConnections;
  }

  private static Object proxy(Object target, InvocationHandler handler) {
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    Stream.of(ClassUtils.getAllInterfaces(target))
        .filter(each -> Modifier.isPublic(each.getModifiers()))
        .forEach(interfaces::add);
    if (target instanceof ConnectionFactory) {
      interfaces.add(InfrastructureProxy.class);
    }
    return Proxy.newProxyInstance(
        GuardedConnections.class.getClassLoader(), interfaces.toArray(new Class<?>[0]), handler);
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    return switch (method.getName()) {
      case "createConnection" -> guarded((Connection) pass(target, method, given));
      case "getTargetConnectionFactory" -> { // of one that routes
        Object found = pass(target, method, given);
        yield found instanceof ConnectionFactory factory ? of(factory, guard, use) : found;
      }
      case "getWrappedObject" -> target;
      case "equals" ->
          given != null
              && given[0] != null
              && target.equals(TransactionSynchronizationUtils.unwrapResourceIfNecessary(given[0]));
      case "hashCode" -> target.hashCode();
      default -> pass(target, method, given);
    };
  }

  private Object guarded(Connection connection) {
    return proxy(
        connection,
        (self, method, given) ->
            switch (method.getName()) {
              case "createChannel" -> {
                Channel channel = (Channel) pass(connection, method, given);
                boolean transacted = Boolean.TRUE.equals(given[0]);
                yield transacted ? channel : guard.get().guard(channel, use.get());
              }
              case "equals" -> self == given[0];
              case "hashCode" -> System.identityHashCode(self);
              default -> pass(connection, method, given);
            });
  }

  @SuppressWarnings("NullAway") // what the method returns, that may be null
  private static Object pass(Object target, Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
