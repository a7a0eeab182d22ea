// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.spring.internal.SpringInternals;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.adapter.AbstractAdaptableMessageListener;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Refuses a reply of a listener that asks for a delay. Spring publishes replies on the container's
 * channel, past every template, so it would go out at once. The listener then fails with a {@link
 * DelayedSendException}, and its message with it. Declare it as a {@code static} bean.
 *
 * <p>It runs after the reply post-processors that container factories, and listeners of containers
 * that are beans, have once initialized. Processors that are set later replace it. The default
 * delay of a route does not apply to replies.
 */
public final class ReplyDelayRefusal implements BeanPostProcessor {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyDelayRefusal.class);

  private static final String REFUSAL =
      "a listener's reply asks for a delay, and replies are sent by its container, at once."
          + " Return nothing, and send it by a DelayedRabbitTemplate, to the request's replyTo"
          + " with its correlation id. A direct reply cannot be delayed: that takes a reply queue";

  private final MessagePostProcessor refusal = ReplyDelayRefusal::refuseDelayed;

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof BaseRabbitListenerContainerFactory<?> factory) {
      factory.setBeforeSendReplyPostProcessors(
          withRefusal(SpringInternals.FACTORY_REPLIES.of(factory)));
    } else if (bean instanceof AbstractMessageListenerContainer container
        && container.getMessageListener() instanceof AbstractAdaptableMessageListener listener) {
      listener.setBeforeSendReplyPostProcessors(
          withRefusal(SpringInternals.LISTENER_REPLIES.of(listener)));
    }
    return bean;
  }

  private MessagePostProcessor[] withRefusal(@Nullable Object set) {
    if (!(set instanceof MessagePostProcessor[] given)) {
      return new MessagePostProcessor[] {refusal};
    }
    MessagePostProcessor[] all = Arrays.copyOf(given, given.length + 1);
    all[given.length] = refusal;
    return all;
  }

  private static Message refuseDelayed(Message reply) {
    if (DelayRequest.forDelay(reply)) {
      LOG.error("{}", REFUSAL); // for a listener with an asynchronous result Spring logs nothing
      throw new DelayedSendException(REFUSAL);
    }
    return reply;
  }
}
