// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationContext;

/** What the actuator has of us; its types have another package in each line of Boot. */
final class HealthAndEndpoint {
  private HealthAndEndpoint() {}

  static void assertUp(ApplicationContext context) {
    HealthIndicator indicator =
        context.getBean("pocketwatchHealthIndicator", HealthIndicator.class);
    Health health = indicator.health();
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(context.getBean(PocketwatchEndpoint.class).status())
        .containsKeys("broker", "routes", "store", "loaders");
  }

  /** Of one that is up; null if there are none. */
  static @Nullable Object warnings(ApplicationContext context) {
    Health health =
        context.getBean("pocketwatchHealthIndicator", HealthIndicator.class).health();
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    return health.getDetails().get("warnings");
  }
}
