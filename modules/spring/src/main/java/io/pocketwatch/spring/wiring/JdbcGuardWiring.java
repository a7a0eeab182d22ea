// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The guard of a store. It is separate for an application that makes its own. */
@Configuration(proxyBeanMethods = false)
public class JdbcGuardWiring {
  /** The guard in front of the listeners of tracked messages. */
  @Bean(destroyMethod = "close")
  DeliveryGuard pocketwatchGuard(
      JdbcDelayStore store,
      DelayedPublisher publisher,
      DelayRoutes routes,
      ObjectProvider<GuardOptions> options,
      ObjectProvider<PocketwatchListener> listeners) {
    return new DeliveryGuard(
        store,
        TrackedPublisher.of(publisher).unwrap(HandOff.class),
        ListeningWiring.options(options, routes),
        PocketwatchListener.all(listeners.orderedStream().toList()));
  }
}
