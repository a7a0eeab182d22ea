// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.spring.DelayedBatchingRabbitTemplate;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.declare.DelayedRabbitAdmin;
import io.pocketwatch.spring.internal.ExistingBeans;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Warns of templates, listeners and admins that bypass Pocketwatch, once all beans are made.
 * Creates no bean itself: lazy beans stay lazy.
 */
public final class ApplicationChecks implements SmartInitializingSingleton {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationChecks.class);
  private static final String TEST_TEMPLATE =
      "org.springframework.amqp.rabbit.test.TestRabbitTemplate";

  /** Frameworks whose templates and containers are not beans, by a class that shows each. */
  private static final Map<String, String> FRAMEWORKS =
      Map.of(
          "org.apache.camel.component.springrabbit.SpringRabbitMQComponent",
          "Camel's spring-rabbitmq component");

  private static final List<String> KINDS =
      List.of(
          "org.springframework.amqp.rabbitmq.client.RabbitAmqpTemplate",
          "org.springframework.amqp.rabbitmq.client.config.RabbitAmqpListenerContainerFactory",
          "org.springframework.amqp.rabbitmq.client.listener.RabbitAmqpListenerContainer",
          "org.springframework.rabbit.stream.producer.RabbitStreamTemplate",
          "org.springframework.rabbit.stream.config.StreamRabbitListenerContainerFactory",
          "org.springframework.rabbit.stream.listener.StreamListenerContainer");

  private final ConfigurableListableBeanFactory beans;

  ApplicationChecks(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    ExistingBeans.of(beans, RabbitTemplate.class).forEach(ApplicationChecks::warnOfUndelaying);
    warnOfPlainAdmins();
    ClassLoader loader = beans.getBeanClassLoader();
    if (loader != null) {
      notCovered(beans, loader, FRAMEWORKS, KINDS).forEach(LOG::warn);
    }
  }

  private static void warnOfUndelaying(String name, RabbitTemplate template) {
    if (!(template instanceof DelayedRabbitTemplate)
        && !(template instanceof DelayedBatchingRabbitTemplate)
        && !isOfTest(template)) {
      LOG.warn(
          "The template '{}' is not a DelayedRabbitTemplate: it sends at once what asks for a"
              + " delay. Make it one, or inject another",
          name);
    }
  }

  /** Whether it sends nothing: a mock of any library, or a {@code TestRabbitTemplate}. */
  private static boolean isOfTest(RabbitTemplate template) {
    return template.getUUID() == null || template.getClass().getName().equals(TEST_TEMPLATE);
  }

  private void warnOfPlainAdmins() {
    Stream.concat(
            ExistingBeans.of(beans, Exchange.class).values().stream(),
            ExistingBeans.of(beans, Declarables.class).values().stream()
                .flatMap(each -> each.getDeclarablesByType(Exchange.class).stream()))
        .filter(DelayedRabbitAdmin::needsPlugin)
        .findFirst()
        .ifPresent(
            exchange ->
                ExistingBeans.of(beans, RabbitAdmin.class)
                    .forEach((name, admin) -> warnOfPlain(name, admin, exchange)));
  }

  private static void warnOfPlain(String name, RabbitAdmin admin, Exchange exchange) {
    if (!(admin instanceof DelayedRabbitAdmin)) {
      LOG.warn(
          "The admin '{}' is not a DelayedRabbitAdmin: it declares exchange '{}' with the plugin's"
              + " type, which a broker without the plugin refuses. Make it one",
          name,
          exchange.getName());
    }
  }

  /**
   * A warning for each framework and bean of the application that Pocketwatch does not serve.
   *
   * @param frameworks names of frameworks, by the classes to look for on the class path
   * @param kinds names of classes to look for among the beans
   */
  static List<String> notCovered(
      ListableBeanFactory beans,
      ClassLoader loader,
      Map<String, String> frameworks,
      List<String> kinds) {
    List<String> warnings = new ArrayList<>();
    frameworks.forEach(
        (shown, name) -> {
          if (ClassUtils.isPresent(shown, loader)) {
            warnings.add(
                "%s sends at once what asks for a delay, and its consumers are not guarded. Use a"
                        .formatted(name)
                    + " RabbitTemplate and a @RabbitListener for these");
          }
        });
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
