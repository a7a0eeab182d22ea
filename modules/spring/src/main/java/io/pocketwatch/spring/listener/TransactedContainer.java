// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.Headers;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/** A container with a transacted channel. It has no guard, so it must not get tracked messages. */
final class TransactedContainer {
  static final String WHY_AND_WHAT =
      "channelTransacted, which a transaction manager of the container turns on. A transacted channel"
          + " has no guard. Leave both unset; a @Transactional listener has its own transaction, and"
          + " SettleInTransaction commits effect and settle together";

  private static final Logger LOG = LoggerFactory.getLogger(TransactedContainer.class);

  private TransactedContainer() {}

  /**
   * Refuses a tracked message that no check at the start could foresee. The message is requeued,
   * and the container stops: otherwise it would come again at once, for ever.
   *
   * @throws ImmediateRequeueAmqpException if one of the messages is tracked
   */
  static void refuseTracked(AbstractMessageListenerContainer container, List<Message> messages) {
    for (Message one : messages) {
      Object route = one.getMessageProperties().getHeader(Headers.ROUTE);
      if (route != null) {
        String refusal =
            "container '%s' is stopped, and what it has goes back to '%s': a message of the tracked"
                    .formatted(
                        container.getListenerId(), one.getMessageProperties().getConsumerQueue())
                + " route '%s' came to it, and it has %s".formatted(route, WHY_AND_WHAT);
        LOG.error(refusal);
        new Thread(container::stop, "pocketwatch-stop").start(); // stop() waits for this thread
        throw new ImmediateRequeueAmqpException(refusal);
      }
    }
  }
}
