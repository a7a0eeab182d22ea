// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.schedule.ScheduleGauges;
import io.pocketwatch.schedule.Schedules;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The schedules in the store, in the application's meter registry. */
@Configuration(proxyBeanMethods = false)
public class ScheduleMetricsWiring {
  @Bean
  GaugeRefresh pocketwatchScheduleGaugeRefresh(MeterRegistry registry, Schedules schedules) {
    ScheduleGauges gauges = new ScheduleGauges(schedules);
    gauges.bindTo(registry);
    return new GaugeRefresh(gauges::refresh);
  }
}
