// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import java.util.List;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless the application has several connection factories and chooses none: then, as with
 * Boot, it makes its own templates and admins. Where it has none, Boot is going to make one.
 */
final class OnSingleConnectionFactory implements ConfigurationCondition {
  /** The name by which Spring chooses among several, that of the parameter. */
  private static final String USUAL_NAME = "connectionFactory";

  @Override
  public ConfigurationPhase getConfigurationPhase() {
    return ConfigurationPhase.REGISTER_BEAN;
  }

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    if (beans == null) {
      return true;
    }
    List<String> names = List.of(beans.getBeanNamesForType(ConnectionFactory.class, true, false));
    return names.size() <= 1
        || names.contains(USUAL_NAME)
        || names.stream()
            .anyMatch(
                name ->
                    beans.containsBeanDefinition(name) && beans.getBeanDefinition(name).isPrimary())
        || names.stream()
                .filter(
                    name ->
                        !beans.containsBeanDefinition(name)
                            || !beans.getBeanDefinition(name).isFallback())
                .count()
            == 1;
  }
}
