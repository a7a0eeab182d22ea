// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import java.util.Optional;

/**
 * A channel with the guard in front of it: its consumers get only messages to handle. An
 * acknowledgement settles a message, a reject without requeue records a failure, and a requeue
 * frees it for the next consumer. The broker is answered once that is recorded, so these calls
 * return before it; {@code close} waits for it.
 *
 * <p>Delivery tags are the channel's own, in the order of handing out. Consumers are called on
 * threads of the guard, one after another. A tracked message that a consumer takes with automatic
 * acknowledgement is refused: it would be lost with the consumer.
 *
 * <p>{@code txSelect}, {@code txCommit}, {@code txRollback}, {@code basicGet} and {@code
 * basicRecover} throw {@link UnsupportedOperationException}, which says what to do instead. All
 * else is passed to the channel.
 *
 * <p>When the connection is lost, a consumer that was handed a message goes on with it. No other
 * consumer gets it until it is answered, or ten leases have passed. A message that a framework
 * passes on is released unless {@link GuardedDelivery#started} was called; see {@link ChannelUse}.
 */
public interface GuardedChannel extends Channel {
  /**
   * The delivery under this tag that a consumer of this channel has not answered yet; empty if
   * there is none.
   */
  Optional<GuardedDelivery> delivery(long deliveryTag);
}
