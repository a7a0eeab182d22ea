// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers Pocketwatch puts on a message. All of them begin with {@value #PREFIX}. A message
 * published without a delay has none of them, unless it has a {@code message-id} of its own.
 */
public final class Headers {
  /** Headers with this prefix belong to Pocketwatch; on an outgoing message they are replaced. */
  public static final String PREFIX = "pocketwatch-";

  /**
   * The message's id (string), where the sender has given the property {@code message-id} another
   * value. {@link #id} reads both.
   */
  public static final String ID = "pocketwatch-id";

  /**
   * When the message was due (long, milliseconds since the epoch). Every message published with a
   * delay or an instant has it. A message held by {@code DELIVERY_TIME} has RabbitMQ's own header
   * instead; {@link #deliverAt} reads both.
   */
  public static final String DELIVER_AT = "pocketwatch-deliver-at";

  /**
   * The exchange to which a held message was addressed (string), empty for a queue. The envelope of
   * such a message names an exchange of Pocketwatch.
   */
  public static final String EXCHANGE = "pocketwatch-exchange";

  /**
   * The version of a stored message that this copy is of (int, from 2). A copy with {@link #ROUTE}
   * but without this header is of version 1.
   */
  public static final String GENERATION = "pocketwatch-generation";

  /**
   * The route of a stored message (string). Together with the id it names the row. Messages without
   * a row do not have it.
   */
  public static final String ROUTE = "pocketwatch-route";

  /**
   * The routing key a message was sent with (string), on a copy that the guard held again. The
   * routing key of such a copy is the name of its queue.
   */
  public static final String ROUTING_KEY = "pocketwatch-routing-key";

  /** The {@code CC} keys of such a copy, set aside so that it reaches no other queues again. */
  public static final String CC = "pocketwatch-cc";

  /**
   * How often a message was deferred by its consumer or retried by its route (int). Without it this
   * is the first attempt.
   */
  public static final String ATTEMPTS = "pocketwatch-attempts";

  /** How many of the route's {@code retries} are used up (int), on a copy that was retried. */
  public static final String RETRIES = "pocketwatch-retries";

  /** The instant before which a deferred copy must wait (long, milliseconds since the epoch). */
  public static final String DEFERRED_UNTIL = "pocketwatch-deferred-until";

  /** How often a message reached a consumer without a store too early, and was held again (int). */
  public static final String EARLY = "pocketwatch-early";

  /** The schedule that a message is an occurrence of (string). */
  public static final String SCHEDULE = "pocketwatch-schedule";

  /**
   * The occurrence of the schedule (string): its nominal instant, in ISO-8601 and UTC, before any
   * jitter. For a run by hand it is the time of the request.
   */
  public static final String OCCURRENCE = "pocketwatch-occurrence";

  /** RabbitMQ's own header, which a publisher must not set. */
  static final String DELIVERY_TIME = "x-opt-delivery-time";

  private Headers() {}

  /** When a message was to be delivered; null if Pocketwatch did not delay it. */
  public static @Nullable Instant deliverAt(@Nullable Map<String, ?> headers) {
    if (headers == null) {
      return null;
    }
    // In a copy that was held again, RabbitMQ's header says until when; our ROUTING_KEY marks it.
    boolean inTheBrokers =
        !headers.containsKey(DELIVER_AT)
            && headers.containsKey(EXCHANGE)
            && !headers.containsKey(ROUTING_KEY);
    return headers.get(inTheBrokers ? DELIVERY_TIME : DELIVER_AT) instanceof Number millis
        ? Instant.ofEpochMilli(millis.longValue())
        : null;
  }

  /** The id of a message sent by Pocketwatch; for any other message its {@code message-id}. */
  public static @Nullable String id(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    Object own = headers == null ? null : headers.get(ID);
    return own == null ? properties.getMessageId() : own.toString();
  }
}
