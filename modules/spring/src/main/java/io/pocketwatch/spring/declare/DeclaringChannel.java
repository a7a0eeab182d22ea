// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.util.ClassUtils;

/** A channel that declares delayed exchanges by their underlying type if the plugin is missing. */
final class DeclaringChannel implements InvocationHandler {
  private final Channel channel;
  private final DelayTypeProbe probe;

  private DeclaringChannel(Channel channel, DelayTypeProbe probe) {
    this.channel = channel;
    this.probe = probe;
  }

  /** Has every interface of the given channel: Spring asks for some of its own. */
  static Channel over(Channel channel, DelayTypeProbe probe) {
    return (Channel)
        Proxy.newProxyInstance(
            ChannelProxy.class.getClassLoader(),
            ClassUtils.getAllInterfaces(channel),
            new DeclaringChannel(channel, probe));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given)
      throws Throwable {
    if (given == null || !method.getName().startsWith("exchangeDeclare") || given.length < 2) {
      return call(method, given);
    }
    try {
      return call(method, withoutPlugin(given));
    } catch (IOException e) {
      throw explained(e);
    }
  }

  private @Nullable Object call(Method method, Object @Nullable [] given) throws Throwable {
    try {
      return method.invoke(channel, given);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  /** The name is the first parameter, the type the second, and the arguments, if any, the last. */
  private Object[] withoutPlugin(Object[] given) throws IOException {
    if (!UnderlyingExchange.DELAYED.equals(given[1]) || !probe.lacksType(channel.getConnection())) {
      return given;
    }
    int last = given.length - 1;
    UnderlyingExchange underlying =
        UnderlyingExchange.of((String) given[0], arguments(given[last]));
    Object[] rewritten = given.clone();
    rewritten[1] = underlying.type();
    rewritten[last] = underlying.arguments();
    return rewritten;
  }

  /** Without arguments there is no underlying type, and the last is no map. */
  @SuppressWarnings("unchecked")
  private static @Nullable Map<String, Object> arguments(@Nullable Object last) {
    return last instanceof Map<?, ?> map ? (Map<String, Object>) map : null;
  }

  private IOException explained(IOException failure) throws IOException {
    Optional<DelayedExchangeException> leftOver = DelayedExchangeException.leftOver(failure);
    return leftOver.isPresent() && probe.lacksType(channel.getConnection())
        ? leftOver.get()
        : failure;
  }
}
