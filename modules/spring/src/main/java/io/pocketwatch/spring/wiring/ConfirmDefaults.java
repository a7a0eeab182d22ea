// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;

/**
 * Turns on confirms and returns, which Boot leaves off, where the application says nothing about
 * them: without them nobody learns that a message was not held. Properties of the lowest
 * precedence, there before Boot makes its connection factory from them. Declare it as a {@code
 * static} bean.
 */
public final class ConfirmDefaults implements BeanFactoryPostProcessor, PriorityOrdered {
  /** The property source that has them. */
  static final String SOURCE = "pocketwatchDefaults";

  static final String CONFIRM_TYPE = "spring.rabbitmq.publisher-confirm-type";
  static final String RETURNS = "spring.rabbitmq.publisher-returns";
  static final String MANDATORY = "spring.rabbitmq.template.mandatory";

  private static final Logger LOG = LoggerFactory.getLogger(ConfirmDefaults.class);

  private final ConfigurableEnvironment environment;

  public ConfirmDefaults(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  /** Before any other, which may make beans early. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    MutablePropertySources sources = environment.getPropertySources();
    sources.remove(SOURCE); // a parent's, whose application may say something else
    Map<String, Object> defaults = new LinkedHashMap<>();
    if (!isSet(CONFIRM_TYPE)) {
      defaults.put(CONFIRM_TYPE, "correlated");
    }
    if (!isSet(RETURNS)) {
      defaults.put(RETURNS, "true");
      if (!isSet(MANDATORY)) {
        // With returns on, Boot makes every message mandatory; that is for the application to say.
        defaults.put(MANDATORY, "false");
      }
    }
    if (!defaults.isEmpty()) {
      sources.addLast(new MapPropertySource(SOURCE, defaults));
      LOG.info("Set, because the application does not: {}", defaults);
    }
  }

  /** Whether confirms are on because of us. */
  static boolean haveTurnedOnConfirms(ConfigurableEnvironment environment) {
    PropertySource<?> ours = environment.getPropertySources().get(SOURCE);
    return ours != null && ours.containsProperty(CONFIRM_TYPE);
  }

  private boolean isSet(String property) {
    return environment.getPropertySources().stream().anyMatch(source -> sets(source, property));
  }

  /** In any of Boot's spellings: {@code publisherReturns}, {@code PUBLISHER_RETURNS} and so on. */
  private static boolean sets(PropertySource<?> source, String property) {
    return source.containsProperty(property)
        || source instanceof EnumerablePropertySource<?> known
            && Arrays.stream(known.getPropertyNames())
                .anyMatch(name -> letters(name).equals(letters(property)));
  }

  private static String letters(String name) {
    return name.replaceAll("[^A-Za-z]", "").toLowerCase(Locale.ROOT);
  }
}
