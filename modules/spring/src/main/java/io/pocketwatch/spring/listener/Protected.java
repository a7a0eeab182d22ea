// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.util.ReflectionUtils;

/** What a container tells its subclasses only. */
final class Protected {
  private static final Method ADVICE_CHAIN = getter("getAdviceChain");
  private static final Method PREFETCH_COUNT = getter("getPrefetchCount");

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
