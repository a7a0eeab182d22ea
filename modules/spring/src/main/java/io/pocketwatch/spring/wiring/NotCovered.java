// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * What sends and receives past Pocketwatch, so that its messages are delayed and guarded by nobody.
 *
 * @param binders kinds of which the beans are in a context of their own
 * @param kinds kinds of beans
 */
record NotCovered(List<String> binders, List<String> kinds) {
  static final NotCovered KNOWN =
      new NotCovered(
          List.of("org.springframework.cloud.stream.binder.rabbit.RabbitMessageChannelBinder"),
          List.of(
              "org.springframework.amqp.rabbitmq.client.RabbitAmqpTemplate",
              "org.springframework.amqp.rabbitmq.client.config.RabbitAmqpListenerContainerFactory",
              "org.springframework.amqp.rabbitmq.client.listener.RabbitAmqpListenerContainer",
              "org.springframework.rabbit.stream.producer.RabbitStreamTemplate",
              "org.springframework.rabbit.stream.config.StreamRabbitListenerContainerFactory",
              "org.springframework.rabbit.stream.listener.StreamListenerContainer"));

  /** A sentence for each of these that the application has. */
  List<String> warnings(ListableBeanFactory beans, ClassLoader loader) {
    List<String> warnings = new ArrayList<>();
    for (String binder : binders) {
      if (ClassUtils.isPresent(binder, loader)) {
        warnings.add(
            "Spring Cloud Stream's binder for RabbitMQ sends at once what asks for a delay, and"
                + " its consumers are not guarded. Use a RabbitTemplate and a @RabbitListener"
                + " for these");
      }
    }
    for (String kind : kinds) {
      if (ClassUtils.isPresent(kind, loader)) {
        Class<?> type = ClassUtils.resolveClassName(kind, loader);
        for (String name : beans.getBeanNamesForType(type, false, false)) {
          warnings.add(
              "The bean '%s' is a %s: it neither delays nor guards messages; use a RabbitTemplate"
                      .formatted(name, type.getSimpleName())
                  + " and a @RabbitListener for delayed ones");
        }
      }
    }
    return warnings;
  }
}
