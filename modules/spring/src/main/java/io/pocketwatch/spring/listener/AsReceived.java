// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.core.PriorityOrdered;

/**
 * Goes before the {@code afterReceivePostProcessors} that a container has, and keeps each delayed
 * message as the broker sent it: what they have decrypted or unpacked could not be held again. Kept
 * in a header, which listeners do not see; a post-processor that hands on none of the headers takes
 * it away.
 */
final class AsReceived implements MessagePostProcessor, PriorityOrdered {
  static final String HEADER = Headers.PREFIX + "as-received";

  private static final AsReceived FIRST = new AsReceived();

  private AsReceived() {}

  /** Null if it was not kept. */
  static @Nullable Delivery of(Message message) {
    return message.getMessageProperties().getHeaders().get(HEADER) instanceof Delivery kept
        ? kept
        : null;
  }

  /** In a container that does not run; one without post-processors stays so. */
  static void keepIn(AbstractMessageListenerContainer container) {
    Collection<MessagePostProcessor> given = Protected.afterReceive(container);
    if (!given.isEmpty()) {
      container.setAfterReceivePostProcessors(withFirst(given));
    }
  }

  /** In the containers that it makes from now on. It has no getter; the field is read. */
  static void keepIn(AbstractRabbitListenerContainerFactory<?> factory) {
    if (new DirectFieldAccessor(factory).getPropertyValue("afterReceivePostProcessors")
            instanceof MessagePostProcessor[] given
        && given.length > 0) {
      factory.setAfterReceivePostProcessors(withFirst(List.of(given)));
    }
  }

  private static MessagePostProcessor[] withFirst(Collection<MessagePostProcessor> given) {
    List<MessagePostProcessor> all = new ArrayList<>(given);
    all.remove(FIRST);
    all.add(0, FIRST); // containers sort by order, and leave those of one order as they are
    return all.toArray(new MessagePostProcessor[0]);
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public Message postProcessMessage(Message message) {
    if (ReceivedDelays.cleans(message)) { // from others nobody would take it again
      Delivery received = Wire.delivery(message);
      Delivery kept =
          new Delivery(
              received.getEnvelope(), received.getProperties(), received.getBody().clone());
      message.getMessageProperties().setHeader(HEADER, kept);
    }
    return message;
  }
}
