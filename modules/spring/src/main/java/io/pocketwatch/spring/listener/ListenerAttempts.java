// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.spring.listener.Defer.DeferException;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** The outcome of the listener's calls for one delivery, of which a retry makes several. */
final class ListenerAttempts {
  private final List<DeliveryInProgress> deliveries;
  private volatile boolean succeeded;
  private volatile @Nullable Throwable lastFailure;
  private volatile @Nullable DeferException deferred;

  ListenerAttempts(List<DeliveryInProgress> deliveries) {
    this.deliveries = deliveries;
  }

  /** Attaches this to the invocation, and so to the clones that a retry makes of it. */
  void attachTo(ProxyMethodInvocation invocation) {
    invocation.setUserAttribute(ListenerAttempts.class.getName(), this);
  }

  static @Nullable ListenerAttempts of(MethodInvocation invocation) {
    return invocation instanceof ProxyMethodInvocation proxied
            && proxied.getUserAttribute(ListenerAttempts.class.getName())
                instanceof ListenerAttempts attempts
        ? attempts
        : null;
  }

  List<DeliveryInProgress> deliveries() {
    return deliveries;
  }

  void succeeded() {
    succeeded = true;
    lastFailure = null;
  }

  void failed(Throwable cause) {
    succeeded = false;
    lastFailure = cause;
  }

  /** The listener defers the message: to the advices between, it looks as if it had returned. */
  void deferred(DeferException wish) {
    succeeded();
    deferred = wish;
  }

  @Nullable DeferException deferred() {
    return deferred;
  }

  /** Null if the last attempt succeeded, or if there was none. */
  @Nullable Throwable lastFailure() {
    return lastFailure;
  }

  /** Why the work is not done although nothing was thrown; null if it is done. */
  @Nullable Throwable swallowed() {
    if (succeeded) {
      return null;
    }
    Throwable last = lastFailure;
    return last != null
        ? last
        : new IllegalStateException("an advice of the container kept it from its listener");
  }
}
