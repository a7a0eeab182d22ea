// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitOperations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateConfigurer;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The template; Boot's types are in another package in Boot 3. */
@Configuration(proxyBeanMethods = false)
class BootRabbitTemplate {
  @Bean
  @Conditional(OnSingleConnectionFactory.class)
  @ConditionalOnMissingBean(RabbitOperations.class)
  DelayedRabbitTemplate rabbitTemplate(
      DelayedPublisher publisher,
      ObjectProvider<RabbitTemplateConfigurer> configurers,
      ConnectionFactory connectionFactory,
      ObjectProvider<RabbitTemplateCustomizer> customizers) {
    DelayedRabbitTemplate template = new DelayedRabbitTemplate(publisher);
    RabbitTemplateConfigurer configurer = configurers.getIfAvailable();
    if (configurer == null) { // excluded, with all of Boot's configuration for RabbitMQ
      template.setConnectionFactory(connectionFactory);
    } else {
      configurer.configure(template, connectionFactory);
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(template));
    return template;
  }
}
