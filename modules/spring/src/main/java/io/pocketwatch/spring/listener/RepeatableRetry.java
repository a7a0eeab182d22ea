// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.Set;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Wraps a retry interceptor of Spring AMQP 4, so that each attempt reaches all advices behind it.
 * The interceptors of 4.0 and 4.1 proceed on the same invocation for every attempt, which skips
 * those advices from the second attempt on. Other advices are not wrapped.
 */
final class RepeatableRetry implements MethodInterceptor {
  private static final String PACKAGE = "org.springframework.amqp.rabbit.config.";
  private static final Set<String> RETRIES =
      Set.of(
          PACKAGE + "StatelessRetryOperationsInterceptor",
          PACKAGE + "StatefulRetryOperationsInterceptor");

  private final MethodInterceptor retry;

  RepeatableRetry(MethodInterceptor retry) {
    this.retry = retry;
  }

  /** Looks at the class name, as Spring AMQP 3 has no such classes. */
  static Advice of(Advice advice) {
    return advice instanceof MethodInterceptor retry
            && RETRIES.contains(advice.getClass().getName())
        ? new RepeatableRetry(retry)
        : advice;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    return retry.invoke(
        invocation instanceof ProxyMethodInvocation proxied ? new Repeatable(proxied) : invocation);
  }

  @Override
  public String toString() {
    return retry.toString();
  }

  private record Repeatable(ProxyMethodInvocation once) implements MethodInvocation {
    @Override
    public @Nullable Object proceed() throws Throwable {
      return once.invocableClone().proceed();
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
