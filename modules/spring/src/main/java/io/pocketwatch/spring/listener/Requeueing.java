// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** Where the messages of a container go whose listener throws: back to their queue, or away. */
final class Requeueing {
  private static final String SPRINGS = "org.springframework.amqp.";
  private static final String CONVERSION = "org.springframework.messaging.";

  private Requeueing() {}

  /** False also where it cannot be told: an error handler of the user's may say otherwise. */
  static boolean certain(AbstractMessageListenerContainer container, Throwable thrown) {
    if (commitsAfter(container, thrown)) {
      return false;
    }
    return Causes.asksForRequeue(thrown)
        || (Protected.requeuesByDefault(container)
            && !Causes.asksForAcknowledgement(thrown)
            && !Causes.asksForRejection(thrown)
            && !Causes.anyOf(thrown, Requeueing::hopeless)
            && leavesTheRest(container));
  }

  /** Such a transaction is for the container as if nothing had been thrown. */
  private static boolean commitsAfter(
      AbstractMessageListenerContainer container, Throwable thrown) {
    TransactionAttribute attribute = Protected.transaction(container);
    return attribute != null && !attribute.rollbackOn(thrown);
  }

  /** What the usual error handler may reject; Spring's messaging is not always there. */
  private static boolean hopeless(Throwable cause) {
    return cause instanceof MessageConversionException
        || cause instanceof ClassCastException
        || cause instanceof NoSuchMethodException
        || cause.getClass().getName().startsWith(CONVERSION);
  }

  /** Whether it is the usual error handler, and with the usual idea of what is hopeless. */
  private static boolean leavesTheRest(AbstractMessageListenerContainer container) {
    Object handler = Protected.errorHandler(container);
    Object strategy = handler == null ? null : Protected.exceptionStrategy(handler);
    return handler != null && springs(handler) && strategy != null && springs(strategy);
  }

  private static boolean springs(Object part) {
    return part.getClass().getName().startsWith(SPRINGS);
  }
}
