// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.rows.RequeuedHold;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.beans.BeanUtils;

/**
 * Makes a received message look as if it had come straight from its sender.
 *
 * <ul>
 *   <li>{@code receivedExchange} and {@code receivedRoutingKey} are the sender's, not those of one
 *       of our exchanges.
 *   <li>Dead-letter headers of our queues are gone; those of other queues stay.
 *   <li>The {@code x-delay} header is gone, so that a message that is sent on is not delayed again;
 *       {@code getReceivedDelayLong()} and {@code getDelayLong()} still return the delay.
 *   <li>The header {@link DeliveryHeaders#ID} is added if the id was on the wire as {@code
 *       message-id} alone.
 *   <li>Headers that name its row are gone: a copy that is sent on would pass for the row's.
 * </ul>
 *
 * Messages that Pocketwatch did not send are left as they are.
 */
public final class ReceivedDelays {
  /**
   * The retry count a delayed message was sent with (a number; not sent on to listeners). Spring
   * takes the {@code x-death} count of our hold queues for a retry count where the message has
   * none. Without this header the two cannot be told apart, and the count is left as it is.
   */
  public static final String SENT_RETRY_COUNT = "x-pocketwatch-retry-count";

  private ReceivedDelays() {}

  /**
   * Cleans received messages, for {@code afterReceivePostProcessors} of a template or a container
   * without a guard. Cleaning twice changes nothing more.
   *
   * @param namePrefix what the names of our queues begin with, {@code pocketwatch} by default
   */
  public static MessagePostProcessor cleaning(String namePrefix) {
    return message -> cleanCopy(message, namePrefix, null);
  }

  /**
   * A cleaned copy with properties of its own; the message itself if it is not one of ours.
   *
   * @param lateness for the header {@link DeliveryHeaders#LATENESS}; null if unknown
   */
  static Message cleanCopy(Message message, String namePrefix, @Nullable Duration lateness) {
    if (read(message.getMessageProperties()).isEmpty()) {
      return message;
    }
    MessageProperties properties = new Received();
    // A delay beyond the plugin's is refused by its setter; the header is copied with the others.
    // The address would make "/queue" of a reply-to that names a queue.
    BeanUtils.copyProperties(
        message.getMessageProperties(), properties, "delayLong", "replyToAddress");
    clean(properties, namePrefix);
    if (lateness != null) {
      properties.setHeader(DeliveryHeaders.LATENESS, lateness);
    }
    return new Message(message.getBody(), properties);
  }

  /** Spring's getter reads the plugin's header, which is removed; it still returns the delay. */
  private static final class Received extends MessageProperties {
    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable Long getDelayLong() {
      Long asked = super.getDelayLong();
      Long waited = getReceivedDelayLong();
      return asked == null && waited != null && waited <= X_DELAY_MAX ? waited : asked;
    }
  }

  private static void clean(MessageProperties properties, String namePrefix) {
    read(properties).ifPresent(delayed -> clean(properties, delayed, namePrefix));
  }

  private static void clean(
      MessageProperties properties, DelayedDelivery delayed, String namePrefix) {
    Map<String, @Nullable Object> headers = properties.getHeaders();
    boolean held = lastDeathIsOurs(headers, namePrefix);
    Map<String, @Nullable Object> clean =
        new HashMap<>(delayed.withoutDeadLetterHeaders(namePrefix).getHeaders());
    clean.put(Headers.ID, delayed.id()); // for listeners, wherever it was on the wire
    clean.remove(Headers.ROUTE);
    clean.remove(Headers.GENERATION);
    clean.remove(Headers.RETRIES);
    clean.remove(Headers.DEFERRED_UNTIL);
    clean.remove(MessageProperties.X_DELAY);
    if (clean.remove(SENT_RETRY_COUNT) instanceof Number sent && held) {
      properties.setRetryCount(sent.longValue());
    }
    headers.clear();
    headers.putAll(clean);
    properties.setReceivedExchange(delayed.exchange());
    properties.setReceivedRoutingKey(delayed.routingKey());
  }

  /** As it was before it was held again, if it was; empty if it is not one of ours. */
  private static Optional<DelayedDelivery> read(MessageProperties properties) {
    Map<String, @Nullable Object> headers = properties.getHeaders();
    if (Headers.deliverAt(headers) == null) {
      return Optional.empty();
    }
    Envelope envelope =
        new Envelope(
            properties.getDeliveryTag(),
            Boolean.TRUE.equals(properties.getRedelivered()),
            String.valueOf(properties.getReceivedExchange()),
            String.valueOf(properties.getReceivedRoutingKey()));
    BasicProperties basic =
        new BasicProperties.Builder().headers(headers).messageId(properties.getMessageId()).build();
    return DelayedDelivery.of(RequeuedHold.restore(new Delivery(envelope, basic, new byte[0])));
  }

  private static boolean lastDeathIsOurs(Map<String, @Nullable Object> headers, String namePrefix) {
    return headers.get(MessageProperties.X_DEATH) instanceof List<?> deaths
        && !deaths.isEmpty()
        && deaths.get(0) instanceof Map<?, ?> last
        && String.valueOf(last.get("queue")).startsWith(namePrefix + ".");
  }
}
