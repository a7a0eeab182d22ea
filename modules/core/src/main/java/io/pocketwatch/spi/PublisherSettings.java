// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spi;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoutes;
import java.time.InstantSource;

/**
 * The settings of a {@link DelayedPublisher.Builder}, for modules that build their own kind of
 * publisher.
 *
 * @param connectionFactory the publisher's own copy
 * @param addresses asked anew for each connection
 * @param clock decides when a message is due
 * @param connectLater whether it is built even if no broker can be reached
 * @param connectOnDemand whether it connects only when the broker is needed
 */
public record PublisherSettings(
    ConnectionFactory connectionFactory,
    AddressResolver addresses,
    DelayRoutes routes,
    InstantSource clock,
    PocketwatchListener listener,
    boolean connectLater,
    boolean connectOnDemand) {
  /** A copy with another clock. */
  public PublisherSettings withClock(InstantSource other) {
    return new PublisherSettings(
        connectionFactory, addresses, routes, other, listener, connectLater, connectOnDemand);
  }
}
