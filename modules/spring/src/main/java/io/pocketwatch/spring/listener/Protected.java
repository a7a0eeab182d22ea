// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/** What a container tells its subclasses only. */
final class Protected {
  private static final Method ADVICE_CHAIN = getter("getAdviceChain");
  private static final Method PREFETCH_COUNT = getter("getPrefetchCount");
  private static final Method DEFAULT_REQUEUE = getter("isDefaultRequeueRejected");
  private static final Method ERROR_HANDLER = getter("getErrorHandler");
  private static final Method TRANSACTION_MANAGER = getter("getTransactionManager");
  private static final Method TRANSACTION_ATTRIBUTE = getter("getTransactionAttribute");
  private static final Method AFTER_RECEIVE = getter("getAfterReceivePostProcessors");

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

  static boolean requeuesByDefault(AbstractMessageListenerContainer container) {
    return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(DEFAULT_REQUEUE, container));
  }

  static @Nullable Object errorHandler(AbstractMessageListenerContainer container) {
    return ReflectionUtils.invokeMethod(ERROR_HANDLER, container);
  }

  /** What Spring's error handler goes by, of whichever package that is; null if it is another. */
  static @Nullable Object exceptionStrategy(Object errorHandler) {
    Method getter = ReflectionUtils.findMethod(errorHandler.getClass(), "getExceptionStrategy");
    if (getter == null) {
      return null;
    }
    ReflectionUtils.makeAccessible(getter);
    return ReflectionUtils.invokeMethod(getter, errorHandler);
  }

  /** Null without a transaction manager. */
  static @Nullable TransactionAttribute transaction(AbstractMessageListenerContainer container) {
    return ReflectionUtils.invokeMethod(TRANSACTION_MANAGER, container) != null
            && ReflectionUtils.invokeMethod(TRANSACTION_ATTRIBUTE, container)
                instanceof TransactionAttribute attribute
        ? attribute
        : null;
  }

  /** What changes messages, or may, before its advices see them; in this order. */
  @SuppressWarnings("unchecked") // as it is declared
  static Collection<MessagePostProcessor> afterReceive(AbstractMessageListenerContainer container) {
    Object all = ReflectionUtils.invokeMethod(AFTER_RECEIVE, container);
    return all == null ? List.of() : (Collection<MessagePostProcessor>) all;
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
