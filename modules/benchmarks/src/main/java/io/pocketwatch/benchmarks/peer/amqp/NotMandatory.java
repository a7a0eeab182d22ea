// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A connection whose channels publish without the mandatory flag, whatever they are told. */
final class NotMandatory {
  private NotMandatory() {}

  static Connection on(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = method.invoke(connection, arguments);
          return result instanceof Channel channel ? on(channel) : result;
        });
  }

  private static Channel on(Channel channel) {
    return proxy(
        Channel.class,
        (method, arguments) -> {
          // basicPublish(exchange, key, mandatory, properties, body)
          if (method.getName().equals("basicPublish") && arguments.length == 5) {
            arguments[2] = false;
          }
          return method.invoke(channel, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return call.of(method, arguments == null ? new Object[0] : arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            }));
  }

  @FunctionalInterface
  private interface Call {
    @Nullable Object of(Method method, Object[] arguments) throws ReflectiveOperationException;
  }
}
