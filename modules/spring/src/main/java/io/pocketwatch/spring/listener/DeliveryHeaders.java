// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.Headers;

/**
 * Headers of every delayed message, which a guarded listener may ask for with {@code @Header}.
 * Without a guard the id is the property {@code message-id}, and there is no lateness.
 *
 * <pre>{@code
 * @RabbitListener(queues = "order.timeout")
 * void timedOut(
 *     Order order,
 *     @Header(DeliveryHeaders.ID) String id,
 *     @Header(DeliveryHeaders.DELIVER_AT) Instant deliverAt,
 *     @Header(DeliveryHeaders.LATENESS) Duration lateness) {}
 * }</pre>
 *
 * A message that was not delayed has none of them: declare the parameter {@code Optional} or {@code
 * required = false} where both may come.
 */
public final class DeliveryHeaders {
  /** The message's id (string), the same for every copy of it. */
  public static final String ID = Headers.ID;

  /**
   * When the message was to be delivered (long, milliseconds since the epoch; converted for an
   * {@code Instant} parameter).
   */
  public static final String DELIVER_AT = Headers.DELIVER_AT;

  /** Arrival minus {@link #DELIVER_AT} ({@code Duration}); negative if it came early. */
  public static final String LATENESS = Headers.PREFIX + "lateness";

  /** How often the message was deferred or retried (int); absent on the first attempt. */
  public static final String ATTEMPTS = Headers.ATTEMPTS;

  private DeliveryHeaders() {}
}
