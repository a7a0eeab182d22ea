// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.AmqpHeaders;

/**
 * Deliveries that a container takes apart and hands over piece by piece, one after the other on one
 * thread: decided once, ended with the last piece.
 */
final class Fragments {
  private static final ThreadLocal<@Nullable Open> OPEN = new ThreadLocal<>();

  /**
   * A delivery that is not yet handed over completely.
   *
   * @param inHand null if its work is not to be done
   */
  record Open(Channel channel, long tag, @Nullable InHand inHand) {}

  /**
   * Whether a container has taken it out of a batch. What taking apart leaves on it distinguishes
   * it from a whole message that was sent on with the headers of a fragment.
   */
  static boolean isFragment(Message message) {
    MessageProperties properties = message.getMessageProperties();
    return properties.isLastInBatch()
        || (properties.getHeaders().get(AmqpHeaders.BATCH_SIZE) instanceof Number size
            && size.intValue() > 1
            && !properties.getHeaders().containsKey(MessageProperties.SPRING_BATCH_FORMAT)
            && properties.getContentLength() == message.getBody().length);
  }

  /** The delivery that the fragment before this one opened; null if this is the first. */
  @Nullable Open continued(Channel channel, Message fragment) {
    Open current = OPEN.get();
    if (current == null) {
      return null;
    }
    if (current.channel() == channel
        && current.tag() == fragment.getMessageProperties().getDeliveryTag()) {
      closeAfter(fragment);
      return current;
    }
    OPEN.remove(); // the container stopped in the middle of it
    if (current.inHand() != null) {
      current.inHand().abandon();
    }
    return null;
  }

  void opened(Channel channel, Message first, @Nullable InHand inHand) {
    OPEN.set(new Open(channel, first.getMessageProperties().getDeliveryTag(), inHand));
    closeAfter(first);
  }

  private void closeAfter(Message fragment) {
    if (fragment.getMessageProperties().isLastInBatch()) {
      OPEN.remove();
    }
  }
}
