// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.PocketwatchStatus;
import java.util.List;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health indicator; Boot's types are in another package in Boot 4. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnEnabledHealthIndicator("pocketwatch")
class BootHealth {
  @Bean
  @ConditionalOnMissingBean(name = "pocketwatchHealthIndicator")
  HealthIndicator pocketwatchHealthIndicator(PocketwatchStatus status) {
    return new Indicator(status);
  }

  /** Down, with the reasons, while there are problems; warnings leave it up. */
  private static final class Indicator extends AbstractHealthIndicator {
    private final PocketwatchStatus status;

    Indicator(PocketwatchStatus status) {
      this.status = status;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
      List<String> problems = status.problems();
      if (problems.isEmpty()) {
        builder.up();
      } else {
        builder.down().withDetail("problems", problems);
      }
      List<String> warnings = status.warnings();
      if (!warnings.isEmpty()) {
        builder.withDetail("warnings", warnings);
      }
    }
  }
}
