// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The last of a container's advices: next to the listener, inside of a retry. Says what is in
 * progress, and notes how each attempt went, which the first advice cannot see: a recoverer may
 * have swallowed the failure.
 */
final class AttemptAdvice implements MethodInterceptor {
  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Attempts attempts = Attempts.of(invocation);
    if (attempts == null) {
      return invocation.proceed();
    }
    List<DeliveryInProgress> outer = DeliveryInProgress.enter(attempts.deliveries());
    try {
      Object result = invocation.proceed();
      attempts.succeeded();
      return result;
    } catch (Throwable e) {
      attempts.failed(e);
      throw e;
    } finally {
      DeliveryInProgress.leave(outer);
    }
  }
}
