// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers Pocketwatch puts on a message. All of them begin with {@value #PREFIX}. A message
 * that was asked to be sent at once has none of them, unless it has a {@code message-id} of its
 * own.
 */
public final class Headers {
  /** Headers with this prefix belong to Pocketwatch; on an outgoing message they are replaced. */
  public static final String PREFIX = "pocketwatch-";

  /**
   * The message's id (string), where the property {@code message-id} is not it: the sender has
   * given it another. {@link #id} reads both.
   */
  public static final String ID = "pocketwatch-id";

  /**
   * When the message was to be delivered (long, milliseconds since the epoch). Every message that
   * was asked for with a delay or an instant has it, and none that was to be sent at once. What was
   * held by {@code DELIVERY_TIME} has it in RabbitMQ's header instead; {@link #deliverAt} reads
   * both.
   */
  public static final String DELIVER_AT = "pocketwatch-deliver-at";

  /**
   * The exchange a message that was held was addressed to (string), empty for a queue: its envelope
   * shows one of ours.
   */
  public static final String EXCHANGE = "pocketwatch-exchange";

  /**
   * Which version of a stored message this copy is (int, from 2); without it a copy that names its
   * {@link #ROUTE} is of version 1.
   */
  public static final String GENERATION = "pocketwatch-generation";

  /**
   * The route of a stored message (string), which together with the id names its row; only with a
   * row to match.
   */
  public static final String ROUTE = "pocketwatch-route";

  /**
   * The routing key a message was sent with (string), on a copy that the guard held again. That
   * copy comes back to its queue under the queue's name.
   */
  public static final String ROUTING_KEY = "pocketwatch-routing-key";

  /** The {@code CC} keys of such a copy, which must not send it to other queues once more. */
  public static final String CC = "pocketwatch-cc";

  /**
   * How often its consumer has deferred a message, or its route has had it tried again (int);
   * without it this is the first attempt.
   */
  public static final String ATTEMPTS = "pocketwatch-attempts";

  /** How many of its route's {@code retries} are used up (int), on a copy that comes again. */
  public static final String RETRIES = "pocketwatch-retries";

  /** Before when such a copy is not handled (long, milliseconds since the epoch). */
  public static final String DEFERRED_UNTIL = "pocketwatch-deferred-until";

  /**
   * How often a message came early to a consumer without a store and was held again (int), on the
   * copy that was held.
   */
  public static final String EARLY = "pocketwatch-early";

  /** The schedule that a message is an occurrence of (string). */
  public static final String SCHEDULE = "pocketwatch-schedule";

  /**
   * Which occurrence it is (string): the instant that the schedule names, in ISO-8601 and UTC,
   * before any jitter. On a run that somebody asked for it is when they did.
   */
  public static final String OCCURRENCE = "pocketwatch-occurrence";

  /** RabbitMQ's own, which is not for anybody to set here. */
  static final String DELIVERY_TIME = "x-opt-delivery-time";

  private Headers() {}

  /** When a message was to be delivered; null if Pocketwatch did not delay it. */
  public static @Nullable Instant deliverAt(@Nullable Map<String, ?> headers) {
    if (headers == null) {
      return null;
    }
    // A copy that was held again names until when in RabbitMQ's header, and its key in ours.
    boolean inTheBrokers =
        !headers.containsKey(DELIVER_AT)
            && headers.containsKey(EXCHANGE)
            && !headers.containsKey(ROUTING_KEY);
    return headers.get(inTheBrokers ? DELIVERY_TIME : DELIVER_AT) instanceof Number millis
        ? Instant.ofEpochMilli(millis.longValue())
        : null;
  }

  /** The id of a message that Pocketwatch sent; of any other, whatever its sender made of it. */
  public static @Nullable String id(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    Object own = headers == null ? null : headers.get(ID);
    return own == null ? properties.getMessageId() : own.toString();
  }
}
