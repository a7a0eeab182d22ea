// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A channel with the guard in front of it: its consumers get only what is to be handled. To
 * acknowledge is to settle; to reject without requeue is to record a failure; to requeue is to
 * release for whoever gets the message next. The broker is answered when that is recorded, so an
 * acknowledgement returns before it is; {@code txCommit} and {@code close} wait for it.
 *
 * <p>Delivery tags are the channel's own, in the order of handing out. Consumers are called on
 * threads of the guard, one after another. A tracked message that a consumer takes with automatic
 * acknowledgement is refused: it would be lost with the consumer.
 *
 * <p>When the connection is lost, a message is released unless its handler has said {@link
 * GuardedDelivery#started}. A consumer that does not say so may work beside the next one.
 */
public interface GuardedChannel extends Channel {
  /**
   * What this channel's consumers were given under that tag and have not answered for; empty if
   * there is none.
   */
  Optional<GuardedDelivery> delivery(long deliveryTag);

  /**
   * Consumes until one message has come that is to be handled. Set a prefetch of 1 before.
   *
   * @param timeout null to wait for ever
   * @return null if none came in time
   * @throws IOException if one came and cannot be had now, for it is back in its queue; or if the
   *     broker ended the consumer
   */
  @Nullable Delivery next(String queue, Map<String, Object> arguments, @Nullable Duration timeout)
      throws IOException, InterruptedException;

  /**
   * Acknowledges one message, and waits until that is recorded and the broker has been told.
   *
   * @throws IOException if it could not be settled; it comes again if it is to
   */
  void acknowledgeNow(long deliveryTag) throws IOException;

  /**
   * The same, for who has only borrowed the channel. {@code close} and {@code abort} end the guard
   * alone: whoever lent the channel closes it, and may have lent it to another by then.
   */
  GuardedChannel borrowed();
}
