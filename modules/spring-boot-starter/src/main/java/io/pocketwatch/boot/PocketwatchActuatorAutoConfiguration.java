// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.PocketwatchStatus;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Health and an endpoint, where the application has the actuator. */
@AutoConfiguration(after = PocketwatchAutoConfiguration.class)
@ConditionalOnBean(PocketwatchStatus.class)
@Import(BootHealth.class)
public final class PocketwatchActuatorAutoConfiguration {
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Endpoint.class)
  static class EndpointConfiguration {
    @Bean
    @ConditionalOnMissingBean
    PocketwatchEndpoint pocketwatchEndpoint(PocketwatchStatus status) {
      return new PocketwatchEndpoint(status);
    }
  }
}
