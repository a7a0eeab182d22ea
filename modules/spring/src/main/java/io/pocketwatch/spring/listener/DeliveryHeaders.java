// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.Headers;

/**
 * Headers that a guarded listener may ask for with {@code @Header}, on every message that was sent
 * with a delay. Without a guard it finds the id as {@code message-id}, and no lateness.
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
   * When it was to be delivered (long, milliseconds since the epoch; converted for an {@code
   * Instant} parameter).
   */
  public static final String DELIVER_AT = Headers.DELIVER_AT;

  /** Arrival minus {@link #DELIVER_AT} ({@code Duration}); negative if it came early. */
  public static final String LATENESS = Headers.PREFIX + "lateness";

  /** How often it was deferred or tried again (int); not there on the first attempt. */
  public static final String ATTEMPTS = Headers.ATTEMPTS;

  private DeliveryHeaders() {}
}
