// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import java.util.Optional;

/**
 * A channel with the guard in front of it: its consumers get only what is to be handled. To
 * acknowledge is to settle; to reject without requeue is to record a failure; to requeue is to give
 * it back for whoever gets the message next. The broker is answered when that is recorded, so an
 * acknowledgement returns before it is; {@code close} waits for it.
 *
 * <p>Delivery tags are the channel's own, in the order of handing out. Consumers are called on
 * threads of the guard, one after another. A tracked message that a consumer takes with automatic
 * acknowledgement is refused: it would be lost with the consumer.
 *
 * <p>{@code txSelect}, {@code txCommit}, {@code txRollback}, {@code basicGet} and {@code
 * basicRecover} throw {@link UnsupportedOperationException}, which says what to do instead. All
 * else is passed to the channel.
 *
 * <p>When the connection is lost, a consumer that was handed a message goes on with it. Nobody else
 * gets it until it is answered for, or ten leases have passed. What frameworks hand on is released
 * unless its handler has said {@link GuardedDelivery#started}; see {@link ChannelUse}.
 */
public interface GuardedChannel extends Channel {
  /**
   * What this channel's consumers were given under that tag and have not answered for; empty if
   * there is none.
   */
  Optional<GuardedDelivery> delivery(long deliveryTag);
}
