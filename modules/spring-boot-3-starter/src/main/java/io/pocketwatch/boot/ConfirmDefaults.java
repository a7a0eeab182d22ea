// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.ApplicationChecks;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.EnvironmentPostProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Turns on confirms and returns, which Boot leaves off, unless the application says otherwise:
 * without them nobody learns that a message was not held.
 */
final class ConfirmDefaults implements EnvironmentPostProcessor {
  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    environment
        .getPropertySources()
        .addLast(
            new MapPropertySource(
                ApplicationChecks.DEFAULTS,
                Map.of(
                    "spring.rabbitmq.publisher-confirm-type",
                    "correlated",
                    "spring.rabbitmq.publisher-returns",
                    "true",
                    // With returns on, Boot would make every message mandatory.
                    "spring.rabbitmq.template.mandatory",
                    "false")));
  }
}
