// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

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
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/** What a container tells its subclasses only. */
final class Protected {
  private static final Method ADVICE_CHAIN = getter("getAdviceChain");
  private static final Method PREFETCH_COUNT = getter("getPrefetchCount");
  private static final Method TRANSACTION_MANAGER = getter("getTransactionManager");
  private static final Method TRANSACTION_ATTRIBUTE = getter("getTransactionAttribute");

  private Protected() {}

  static Advice[] adviceChain(AbstractMessageListenerContainer container) {
    Object chain = ReflectionUtils.invokeMethod(ADVICE_CHAIN, container);
    return chain instanceof Advice[] advices ? advices : new Advice[0];
  }

  static int prefetch(AbstractMessageListenerContainer container) {
    return ReflectionUtils.invokeMethod(PREFETCH_COUNT, container) instanceof Integer count
        ? count
        : 1;
  }

  /** Null without a transaction manager. */
  static @Nullable TransactionAttribute transaction(AbstractMessageListenerContainer container) {
    return ReflectionUtils.invokeMethod(TRANSACTION_MANAGER, container) != null
            && ReflectionUtils.invokeMethod(TRANSACTION_ATTRIBUTE, container)
                instanceof TransactionAttribute attribute
        ? attribute
        : null;
  }

  /** The one it was given, which may be a routing one. */
  static @Nullable ConnectionFactory connectionFactory(AbstractMessageListenerContainer container) {
    return new DirectFieldAccessor(container).getPropertyValue("connectionFactory")
            instanceof ConnectionFactory given
        ? given
        : null;
  }

  /** Has whatever a factory makes changed when all else is done to it. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // the type of what it makes does not matter
  static void customize(
      AbstractRabbitListenerContainerFactory<?> factory,
      Consumer<AbstractMessageListenerContainer> last) {
    Object given = new DirectFieldAccessor(factory).getPropertyValue("containerCustomizer");
    ((AbstractRabbitListenerContainerFactory) factory)
        .setContainerCustomizer(
            (ContainerCustomizer)
                Proxy.newProxyInstance(
                    Protected.class.getClassLoader(),
                    new Class<?>[] {ContainerCustomizer.class},
                    new LastCustomizer(given, last)));
  }

  /** A proxy, since what the interface's method takes has moved between Spring AMQP 3 and 4. */
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

  /** How many messages it answers for together, and so must have at a time. */
  static int answeredTogether(AbstractMessageListenerContainer container) {
    if (container.getAcknowledgeMode().isManual()) {
      return prefetch(container); // its listener may collect them
    }
    DirectFieldAccessor fields = new DirectFieldAccessor(container);
    return Stream.of("batchSize", "messagesPerAck")
        .filter(fields::isReadableProperty)
        .map(fields::getPropertyValue)
        .mapToInt(value -> value instanceof Number number ? number.intValue() : 1)
        .max()
        .orElse(1);
  }

  private static Method getter(String name) {
    Method method = ReflectionUtils.findMethod(AbstractMessageListenerContainer.class, name);
    if (method == null) {
      throw new IllegalStateException(
          "this version of Spring AMQP has no AbstractMessageListenerContainer." + name);
    }
    ReflectionUtils.makeAccessible(method);
    return method;
  }
}
