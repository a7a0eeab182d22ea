// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The publisher, with a connection beside Spring's. Separate for an application that builds its
 * own. It needs beans of {@link DelayRoutes} and of Spring's {@code ConnectionFactory}.
 */
@Configuration(proxyBeanMethods = false)
public class PublisherWiring {
  /**
   * A publisher that starts without a broker, too, and connects when needed, as Spring's own do.
   * Call {@code connect()} to connect earlier.
   */
  @Bean(destroyMethod = "close")
  DelayedPublisher pocketwatchPublisher(
      ObjectProvider<BrokerAccess> access,
      ObjectProvider<ConnectionFactory> connectionFactory,
      DelayRoutes routes,
      ObjectProvider<DelayStore> store,
      ObjectProvider<PocketwatchListener> listeners) {
    BrokerAccess broker =
        access.getIfAvailable(() -> BrokerAccess.of(BrokerAccess.chosen(connectionFactory)));
    DelayedPublisher.Builder builder =
        DelayedPublisher.builder(broker.factory())
            .addressResolver(broker.addresses())
            .routes(routes)
            .listener(PocketwatchListener.all(listeners.orderedStream().toList()))
            .connectOnDemand();
    DelayStore found = store.getIfAvailable();
    return found == null ? builder.build() : builder.build(TrackedPublisher.with(found));
  }
}
