// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.spring.internal.SpringInternals;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/** Settings of a listener container that it has no public getters for. */
final class ContainerSettings {
  private ContainerSettings() {}

  static Advice[] adviceChain(AbstractMessageListenerContainer container) {
    return SpringInternals.ADVICE_CHAIN.of(container) instanceof Advice[] advices
        ? advices
        : new Advice[0];
  }

  /** The connection factory it was given, which may be a routing one. */
  static @Nullable ConnectionFactory connectionFactory(AbstractMessageListenerContainer container) {
    return (ConnectionFactory) SpringInternals.CONTAINER_CONNECTIONS.of(container);
  }

  /** How many messages the container acknowledges together, and so must have in flight. */
  static int answeredTogether(AbstractMessageListenerContainer container) {
    return container.getAcknowledgeMode().isManual()
        ? number(SpringInternals.PREFETCH_COUNT, container) // its listener may collect them
        : Stream.of(SpringInternals.BATCH_SIZE, SpringInternals.MESSAGES_PER_ACK)
            .filter(each -> each.isIn(container))
            .mapToInt(each -> number(each, container))
            .max()
            .orElse(1);
  }

  private static int number(SpringInternals each, AbstractMessageListenerContainer container) {
    return each.of(container) instanceof Number number ? number.intValue() : 1;
  }

  /** Changes each container that a factory makes, after all its other settings. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // the type of what it makes does not matter
  static void customize(
      AbstractRabbitListenerContainerFactory<?> factory,
      Consumer<AbstractMessageListenerContainer> last) {
    Object given = SpringInternals.CONTAINER_CUSTOMIZER.of(factory);
    ((AbstractRabbitListenerContainerFactory) factory)
        .setContainerCustomizer(
            (ContainerCustomizer)
                Proxy.newProxyInstance(
                    ContainerSettings.class.getClassLoader(),
                    new Class<?>[] {ContainerCustomizer.class},
                    new LastCustomizer(given, last)));
  }

  /** A proxy, since the method's parameter type has moved between Spring AMQP 3 and 4. */
  private record LastCustomizer(
      @Nullable Object given, Consumer<AbstractMessageListenerContainer> last)
      implements InvocationHandler {
    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object[] arguments)
        throws Throwable {
      if (!method.getName().equals("configure")) {
        return method.invoke(this, arguments);
      }
      if (given != null) {
        try {
          method.invoke(given, arguments);
        } catch (InvocationTargetException e) {
          throw e.getTargetException();
        }
      }
      if (arguments[0] instanceof AbstractMessageListenerContainer container) {
        last.accept(container);
      }
      return null;
    }
  }
}
