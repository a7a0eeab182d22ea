// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.TemplatePostProcessor;
import io.pocketwatch.spring.declare.UnderlyingExchanges;
import io.pocketwatch.spring.internal.SpringInternals;
import io.pocketwatch.spring.listener.ListenerGuardPostProcessor;
import io.pocketwatch.spring.wiring.BrokerAccess;
import io.pocketwatch.spring.wiring.LateCustomizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.MessageListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.stream.binder.DefaultBinderFactory;
import org.springframework.cloud.stream.binder.rabbit.RabbitMessageChannelBinder;
import org.springframework.cloud.stream.config.ListenerContainerCustomizer;
import org.springframework.cloud.stream.config.ProducerMessageHandlerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.integration.amqp.outbound.AmqpOutboundEndpoint;
import org.springframework.messaging.MessageHandler;

/**
 * Lets the bindings of Spring Cloud Stream delay and be guarded. Its binder makes templates,
 * containers and an admin that are not beans, but calls these customizers for each. They come last,
 * so that the settings of the application's own customizers stay.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RabbitMessageChannelBinder.class)
class StreamBinding {
  private static final Logger LOG = LoggerFactory.getLogger(StreamBinding.class);

  @Bean
  static LateCustomizer pocketwatchBindingExchanges(
      ConfigurableListableBeanFactory beans, ObjectProvider<ConnectionFactory> connectionFactory) {
    return new LateCustomizer(
        beans,
        "pocketwatchExchangeCustomizer",
        new UnderlyingExchanges(() -> BrokerAccess.chosen(connectionFactory)));
  }

  /** Containers of RabbitMQ streams are of another class, and left alone. */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  ListenerContainerCustomizer<MessageListenerContainer> pocketwatchBindingConsumers(
      ListenerGuardPostProcessor guards, ConfirmDefaults confirms) {
    return (container, destination, group) -> {
      if (container instanceof AbstractMessageListenerContainer guarded) {
        guards.postProcessBeforeInitialization(guarded, destination);
        confirms.postProcessAfterInitialization(guarded, destination);
      }
    };
  }

  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  ProducerMessageHandlerCustomizer<MessageHandler> pocketwatchBindingProducers(
      TemplatePostProcessor templates, ConfirmDefaults confirms) {
    return (handler, destination) -> {
      if (handler instanceof AmqpOutboundEndpoint endpoint
          && endpoint.getRabbitTemplate() != null) {
        RabbitTemplate former = endpoint.getRabbitTemplate();
        RabbitTemplate delaying = templates.inPlaceOf(former);
        if (!SpringInternals.replace(endpoint, former, delaying)
            || endpoint.getRabbitTemplate() != delaying) {
          throw new IllegalStateException(
              "This version of Spring Integration keeps the template of the binding to '%s' where"
                      .formatted(destination)
                  + " Pocketwatch does not find it. Take another version of it, or set"
                  + " pocketwatch.enabled: false");
        }
        confirms.postProcessAfterInitialization(delaying, destination);
      }
    };
  }

  /** A binder with its own environment calls no customizer here, and may have another broker. */
  @Bean
  static DefaultBinderFactory.Listener pocketwatchBinderCheck() {
    return (name, context) -> {
      if (context.getParent() == null
          && context.getBeanNamesForType(RabbitMessageChannelBinder.class).length > 0) {
        LOG.warn(
            "The binder '{}' has an environment of its own: its bindings send at once what asks for"
                + " a delay. Take that away, and set spring.rabbitmq.* for the application",
            name);
      }
    };
  }
}
