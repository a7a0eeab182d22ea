// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.metrics.StoreGauges;
import io.pocketwatch.tracking.metrics.TrackingMetrics;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters of events and, with a store, of its messages, in the application's meter registry. */
@Configuration(proxyBeanMethods = false)
public class MetricsWiring {
  /** As a listener, it is notified by publisher, loader and guard. */
  @Bean
  TrackingMetrics pocketwatchMetrics(MeterRegistry registry) {
    return new TrackingMetrics(registry);
  }

  @Bean
  GaugeRefresh pocketwatchGaugeRefresh(
      MeterRegistry registry, ObjectProvider<DelayStore> store, DelayRoutes routes) {
    DelayStore found = store.getIfAvailable();
    return new GaugeRefresh(found == null ? null : gauges(found, routes, registry)::refresh);
  }

  private static StoreGauges gauges(DelayStore store, DelayRoutes routes, MeterRegistry registry) {
    StoreGauges gauges = new StoreGauges(store, routes);
    gauges.bindTo(registry);
    return gauges;
  }
}
