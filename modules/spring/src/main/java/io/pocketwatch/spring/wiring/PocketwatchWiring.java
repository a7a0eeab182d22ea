// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.spring.declare.DelayedExchangeCustomizer;
import io.pocketwatch.spring.listener.GuardingFactories;
import io.pocketwatch.store.DelayStore;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * What every application has: a publisher beside Spring's connections, help with exchanges of the
 * plugin, and listener containers that clean and guard what they receive. Needs beans of {@link
 * PocketwatchSettings} and of Spring's {@code ConnectionFactory}; the template and the store are
 * wired apart.
 */
@Configuration(proxyBeanMethods = false)
public class PocketwatchWiring {
  /** Starts without a broker too, as Spring's own connections do. */
  @Bean(destroyMethod = "close")
  DelayedPublisher pocketwatchPublisher(
      ObjectProvider<BrokerAccess> access,
      ObjectProvider<ConnectionFactory> connectionFactory,
      PocketwatchSettings settings,
      ObjectProvider<DelayStore> store,
      ObjectProvider<PocketwatchListener> listeners) {
    BrokerAccess broker =
        access.getIfAvailable(() -> BrokerAccess.of(connectionFactory.getObject()));
    DelayedPublisher.Builder builder =
        DelayedPublisher.builder(broker.factory())
            .addresses(broker.addresses())
            .routes(settings.routes())
            .listener(Listeners.all(listeners))
            .connectLater();
    DelayStore found = store.getIfAvailable();
    if (found == null && settings.store().enabled()) {
      throw new IllegalStateException(
          "pocketwatch.store.enabled is true, but there is no store: that takes"
              + " io.pocketwatch:pocketwatch-store-jdbc on the class path, and a DataSource");
    }
    return (found == null ? builder : builder.store(found)).build();
  }

  /** Static, and with nothing to inject but the settings: it is made before all other beans. */
  @Bean
  static GuardingFactories pocketwatchGuardingFactories(
      PocketwatchSettings settings, ObjectProvider<DeliveryGuard> guard) {
    return new GuardingFactories(
        guard::getIfAvailable, settings::routes, settings.routes().hold().namePrefix());
  }

  @Bean
  DelayedExchangeCustomizer pocketwatchDelayedExchanges(ListableBeanFactory beans) {
    return new DelayedExchangeCustomizer(beans);
  }

  @Bean
  ApplicationChecks pocketwatchChecks(
      ListableBeanFactory beans, ConfigurableEnvironment environment) {
    return new ApplicationChecks(beans, environment);
  }

  @Bean
  PocketwatchStatus pocketwatchStatus(
      DelayedPublisher publisher, PocketwatchSettings settings, ObjectProvider<DelayStore> store) {
    return new PocketwatchStatus(publisher, settings, store.getIfAvailable());
  }
}
