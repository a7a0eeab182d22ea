// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.spring.listener.Defer.DeferException;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * The last of a container's advices: next to the listener, inside of a retry. It sets the {@link
 * DeliveryInProgress}, and notes how each attempt went. The first advice cannot see that: a
 * recoverer may have swallowed the failure.
 */
final class AttemptAdvice implements MethodInterceptor {
  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    ListenerAttempts attempts = ListenerAttempts.of(invocation);
    if (attempts == null) {
      return invocation.proceed();
    }
    List<DeliveryInProgress> outer = DeliveryInProgress.enter(attempts.deliveries());
    try {
      Object result = invocation.proceed();
      attempts.succeeded();
      return result;
    } catch (Throwable e) {
      DeferException wish = ExceptionChain.asksForDeferring(e);
      if (wish != null) {
        attempts.deferred(wish);
        rollBack();
        return null;
      }
      attempts.failed(e);
      throw e;
    } finally {
      DeliveryInProgress.leave(outer);
    }
  }

  /** Rolls back the transaction of one of the container's advices, which sees no exception. */
  private static void rollBack() {
    try {
      TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
    } catch (NoTransactionException e) {
      // there is none, or it is the container's, which gets the exception
    }
  }
}
