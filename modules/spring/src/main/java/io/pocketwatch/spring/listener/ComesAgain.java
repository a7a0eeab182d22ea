// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.lang.reflect.Constructor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/**
 * What makes a container return messages to their queue. As if the listener had thrown it: with any
 * other exception than that wrapping, a simple container starts its consumer anew.
 */
final class ComesAgain {
  private static final Constructor<? extends AmqpException> WRAPPING = wrapping();

  private ComesAgain() {}

  static AmqpException of(List<Message> messages, String why, @Nullable Throwable cause) {
    return BeanUtils.instantiateClass(
        WRAPPING,
        why,
        cause == null
            ? new ImmediateRequeueAmqpException(why)
            : new ImmediateRequeueAmqpException(why, cause),
        messages.toArray(new Message[0]));
  }

  /** It has moved: the old one is to be removed, and Spring AMQP 3 has no other. */
  private static Constructor<? extends AmqpException> wrapping() {
    ClassLoader loader = ComesAgain.class.getClassLoader();
    String current = "org.springframework.amqp.listener.ListenerExecutionFailedException";
    String former = "org.springframework.amqp.rabbit.support.ListenerExecutionFailedException";
    try {
      return ClassUtils.resolveClassName(
              ClassUtils.isPresent(current, loader) ? current : former, loader)
          .asSubclass(AmqpException.class)
          .getConstructor(String.class, Throwable.class, Message[].class);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("this version of Spring AMQP is not known", e);
    }
  }
}
