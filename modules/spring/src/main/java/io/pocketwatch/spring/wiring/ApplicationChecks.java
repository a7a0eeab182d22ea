// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.spring.DelayedBatchingRabbitTemplate;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at an application whose beans are made, and warns of what sends and receives past
 * Pocketwatch. Makes no bean itself: what is lazy stays so.
 */
public final class ApplicationChecks implements SmartInitializingSingleton {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationChecks.class);
  private static final String TEST_TEMPLATE =
      "org.springframework.amqp.rabbit.test.TestRabbitTemplate";

  private final ConfigurableListableBeanFactory beans;

  ApplicationChecks(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    made(beans, RabbitTemplate.class).forEach(ApplicationChecks::warnOfUndelaying);
    ClassLoader loader = beans.getBeanClassLoader();
    if (loader != null) {
      NotCovered.KNOWN.warnings(beans, loader).forEach(LOG::warn);
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

  /** Which sends nothing: a mock, of whichever maker, or a {@code TestRabbitTemplate}. */
  private static boolean isOfTest(RabbitTemplate template) {
    return template.getUUID() == null || template.getClass().getName().equals(TEST_TEMPLATE);
  }

  /** The beans of a type that are made already, by name. */
  static <T> Map<String, T> made(ConfigurableListableBeanFactory beans, Class<T> type) {
    Map<String, T> made = new LinkedHashMap<>();
    for (String name : beans.getBeanNamesForType(type, false, false)) {
      if (beans.containsSingleton(name)) {
        made.put(name, beans.getBean(name, type));
      }
    }
    return made;
  }
}
