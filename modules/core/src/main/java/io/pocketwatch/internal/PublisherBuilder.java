// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.route.DelayRoutes;
import java.time.InstantSource;
import java.util.List;

/** The one implementation of the builder. */
public final class PublisherBuilder implements DelayedPublisher.Builder {
  private final ConnectionFactory connectionFactory;
  private DelayRoutes routes = DelayRoutes.none();
  private List<Address> addresses = List.of();
  private InstantSource clock = InstantSource.system();

  public PublisherBuilder(ConnectionFactory connectionFactory) {
    this.connectionFactory = connectionFactory.clone();
  }

  @Override
  public PublisherBuilder routes(DelayRoutes routes) {
    this.routes = routes;
    return this;
  }

  @Override
  public PublisherBuilder addresses(List<Address> addresses) {
    this.addresses = List.copyOf(addresses);
    return this;
  }

  @Override
  public PublisherBuilder clock(InstantSource clock) {
    this.clock = clock;
    return this;
  }

  @Override
  public DelayedPublisher build() {
    Connections connections = new Connections(connectionFactory, addresses);
    DefaultDelayedPublisher publisher = new DefaultDelayedPublisher(connections, routes, clock);
    try {
      publisher.start();
      return publisher;
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
  }
}
