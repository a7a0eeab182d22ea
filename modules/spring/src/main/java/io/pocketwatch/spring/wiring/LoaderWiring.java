// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A loader in this process. Any number of processes may have one. */
@Configuration(proxyBeanMethods = false)
public class LoaderWiring {
  @Bean
  LoaderLifecycle pocketwatchLoader(
      DelayedPublisher publisher,
      DelayStore store,
      DelayRoutes routes,
      ObjectProvider<PocketwatchListener> listeners) {
    return new LoaderLifecycle(publisher, store, routes, Listeners.all(listeners));
  }
}
