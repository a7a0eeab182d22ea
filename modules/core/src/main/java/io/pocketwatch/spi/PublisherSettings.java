// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spi;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoutes;
import java.time.InstantSource;

/**
 * What a {@link DelayedPublisher.Builder} has collected, for libraries that make a publisher which
 * can do more.
 *
 * @param connectionFactory a copy that is ours
 * @param addresses asked anew for each connection
 * @param clock by which instants are judged
 * @param connectLater whether it is made without a broker too
 * @param connectOnDemand whether it connects only when somebody needs the broker
 */
public record PublisherSettings(
    ConnectionFactory connectionFactory,
    AddressResolver addresses,
    DelayRoutes routes,
    InstantSource clock,
    PocketwatchListener listener,
    boolean connectLater,
    boolean connectOnDemand) {
  /** The same by another clock. */
  public PublisherSettings withClock(InstantSource other) {
    return new PublisherSettings(
        connectionFactory, addresses, routes, other, listener, connectLater, connectOnDemand);
  }
}
