// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import org.springframework.boot.autoconfigure.amqp.RabbitTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A user's customizer; its type has another package in each line of Boot. */
@Configuration(proxyBeanMethods = false)
class LineCustomizer {
  @Bean
  RabbitTemplateCustomizer templateCustomizer() {
    return template -> template.setRoutingKey("customized");
  }
}
