// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.spring.internal.SpringInternals;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * The transaction around a listener that acknowledges by itself. An acknowledgement settles at
 * once, on the guard's connection: work that the transaction rolls back later would stay settled.
 */
final class ManualTransaction {
  static final String WHY_AND_WHAT =
      "What it acknowledges there is settled at once, and not handled again if the transaction is"
          + " rolled back. Use AUTO, with SettleInTransaction where effect and settle are to commit"
          + " together. Or let a listener without a transaction call a method that has one, and"
          + " acknowledge when that has returned";

  private ManualTransaction() {}

  /** Whether the listener acknowledges; Spring does it for a listener with asynchronous replies. */
  static boolean isManual(AbstractMessageListenerContainer container) {
    MessageListener listener = container.getMessageListener();
    return container.getAcknowledgeMode().isManual()
        && (listener == null || !listener.isAsyncReplies());
  }

  /** Describes the transaction around the listener; null if none is known. */
  static @Nullable String of(AbstractMessageListenerContainer container) {
    if (Stream.of(ContainerSettings.adviceChain(container))
        .anyMatch(TransactionAspectSupport.class::isInstance)) {
      return "that of an advice of the container";
    }
    if (!(container.getMessageListener() instanceof MessagingMessageListenerAdapter adapter)) {
      return null;
    }
    Object handler = Objects.requireNonNull(SpringInternals.LISTENER_HANDLER.of(adapter));
    return SpringInternals.HANDLER_BEAN.of(handler) instanceof Advised bean
        ? ofMethod(bean, handler)
        : null;
  }

  private static @Nullable String ofMethod(Advised bean, Object handler) {
    Class<?> type = AopUtils.getTargetClass(bean);
    for (Advisor advisor : bean.getAdvisors()) {
      if (advisor.getAdvice() instanceof TransactionAspectSupport aspect) {
        for (Method method : methods(handler, type)) {
          if (isInTransaction(aspect.getTransactionAttributeSource(), method, type)) {
            return "that of %s.%s".formatted(type.getSimpleName(), method.getName());
          }
        }
      }
    }
    return null;
  }

  /** The listener's method; all of them where the payload chooses among several. */
  private static Collection<Method> methods(Object handler, Class<?> type) {
    Collection<Method> several =
        MethodIntrospector.selectMethods(
            type,
            (Method method) -> AnnotatedElementUtils.hasAnnotation(method, RabbitHandler.class));
    return several.isEmpty()
            && SpringInternals.HANDLER_METHOD.of(handler, "any payload") instanceof Method one
        ? List.of(one)
        : several;
  }

  private static boolean isInTransaction(
      @Nullable TransactionAttributeSource source, Method method, Class<?> type) {
    TransactionAttribute attribute =
        source == null ? null : source.getTransactionAttribute(method, type);
    return attribute != null
        && attribute.getPropagationBehavior() != TransactionDefinition.PROPAGATION_SUPPORTS
        && attribute.getPropagationBehavior() != TransactionDefinition.PROPAGATION_NOT_SUPPORTED
        && attribute.getPropagationBehavior() != TransactionDefinition.PROPAGATION_NEVER;
  }

  /**
   * Refuses an answer in a transaction that no check could foresee, since the listener has begun
   * it. In afterCommit callbacks the transaction still counts as active.
   *
   * @throws IllegalStateException if this thread is in one
   */
  static void refuse(AbstractMessageListenerContainer container) {
    if (SpringTransaction.isActive()) {
      throw new IllegalStateException(
          "container '%s' has acknowledge mode MANUAL, and its listener answers inside of a"
                  .formatted(container.getListenerId())
              + " transaction. "
              + WHY_AND_WHAT);
    }
  }
}
