// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One of the user's advices, such that each of its calls reaches all that is behind it. An
 * invocation proceeds once: the retry interceptors of Spring AMQP 4 call the same one for every
 * attempt, which from the second on goes past the advices behind them.
 */
final class EachAttempt implements MethodInterceptor {
  private final MethodInterceptor advice;

  EachAttempt(MethodInterceptor advice) {
    this.advice = advice;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    return advice.invoke(
        invocation instanceof ProxyMethodInvocation proxied ? new Repeatable(proxied) : invocation);
  }

  @Override
  public String toString() {
    return advice.toString();
  }

  private record Repeatable(ProxyMethodInvocation once) implements ProxyMethodInvocation {
    @Override
    public @Nullable Object proceed() throws Throwable {
      return once.invocableClone().proceed();
    }

    @Override
    public Object getProxy() {
      return once.getProxy();
    }

    @Override
    public MethodInvocation invocableClone() {
      return once.invocableClone();
    }

    @Override
    public MethodInvocation invocableClone(@Nullable Object... arguments) {
      return once.invocableClone(arguments);
    }

    @Override
    public void setArguments(@Nullable Object... arguments) {
      once.setArguments(arguments);
    }

    @Override
    public void setUserAttribute(String key, @Nullable Object value) {
      once.setUserAttribute(key, value);
    }

    @Override
    public @Nullable Object getUserAttribute(String key) {
      return once.getUserAttribute(key);
    }

    @Override
    public Method getMethod() {
      return once.getMethod();
    }

    @Override
    public @Nullable Object[] getArguments() {
      return once.getArguments();
    }

    @Override
    public @Nullable Object getThis() {
      return once.getThis();
    }

    @Override
    public AccessibleObject getStaticPart() {
      return once.getStaticPart();
    }
  }
}
