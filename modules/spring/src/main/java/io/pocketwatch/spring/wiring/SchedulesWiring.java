// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.tracking.TrackedPublisher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Schedules in the application's configuration, and its beans of type {@link Schedule}. They are
 * stored at the start, and fired where there is a loader. They need a publisher with a store.
 */
@Configuration(proxyBeanMethods = false)
public class SchedulesWiring {
  @Bean
  Schedules pocketwatchSchedules(DelayedPublisher publisher) {
    return Schedules.of(TrackedPublisher.of(publisher));
  }

  @Bean
  SchedulesLifecycle pocketwatchSchedulesRunner(
      Schedules schedules,
      DelayRoutes routes,
      ObjectProvider<Schedule> beans,
      Environment environment) {
    boolean fires =
        on(environment, "pocketwatch.loader.enabled")
            && on(environment, "pocketwatch.schedules-runner.enabled");
    String name = environment.getProperty("spring.application.name", "application");
    return new SchedulesLifecycle(schedules, routes, beans.orderedStream().toList(), name, fires);
  }

  private static boolean on(Environment environment, String key) {
    return environment.getProperty(key, Boolean.class, true);
  }
}
