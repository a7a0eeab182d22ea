// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.base.SafeListeners;
import io.pocketwatch.store.DelayStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The one implementation of the builder. */
public final class PublisherBuilder implements DelayedPublisher.Builder {
  private final ConnectionFactory connectionFactory;
  private DelayRoutes routes = DelayRoutes.none();
  private AddressResolver addresses = List::of;
  private InstantSource clock = InstantSource.system();
  private @Nullable DelayStore store;
  private PocketwatchListener listener = PocketwatchListener.NONE;
  private boolean connectLater;
  private boolean connectOnDemand;

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
    List<Address> fixed = List.copyOf(addresses);
    return addressResolver(() -> fixed);
  }

  @Override
  public PublisherBuilder addressResolver(AddressResolver resolver) {
    this.addresses = resolver;
    return this;
  }

  @Override
  public PublisherBuilder clock(InstantSource clock) {
    this.clock = clock;
    return this;
  }

  @Override
  public PublisherBuilder listener(PocketwatchListener listener) {
    this.listener = listener;
    return this;
  }

  @Override
  public PublisherBuilder store(DelayStore store) {
    this.store = store;
    return this;
  }

  @Override
  public PublisherBuilder connectLater() {
    this.connectLater = true;
    return this;
  }

  @Override
  public PublisherBuilder connectOnDemand() {
    this.connectOnDemand = true;
    return this;
  }

  /** {@link PocketwatchListener#NONE} stays itself, so that nobody tells it anything. */
  private static PocketwatchListener safe(PocketwatchListener listener) {
    return listener == PocketwatchListener.NONE
        ? listener
        : SafeListeners.of(PocketwatchListener.class, List.of(listener));
  }

  @Override
  public DelayedPublisher build() {
    if (store == null && !routes.tracked().isEmpty()) {
      DelayRoute route = routes.tracked().get(0);
      throw new IllegalStateException(
          "route '%s' has tracking: %s, which needs a store, and this publisher was given none"
              .formatted(route.name(), route.store().tracking().name().toLowerCase(Locale.ROOT)));
    }
    Connections connections = new Connections(connectionFactory, addresses);
    DefaultDelayedPublisher publisher =
        new DefaultDelayedPublisher(connections, routes, clock, store, safe(listener));
    try {
      publisher.start();
      if (!connectOnDemand) {
        publisher.connect(connectLater);
      }
      return publisher;
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
  }
}
