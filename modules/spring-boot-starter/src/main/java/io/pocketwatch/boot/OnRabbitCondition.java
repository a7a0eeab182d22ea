// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import java.util.List;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches where there is a connection factory, or Boot is going to make one. It does not match an
 * application that excludes Boot's configuration for RabbitMQ and has no factory.
 */
final class OnRabbitCondition extends SpringBootCondition implements ConfigurationCondition {
  /** Boot's configuration for RabbitMQ, in Boot 4. */
  static final String BOOT_4 =
      "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration";

  /** Boot's configuration for RabbitMQ, in Boot 3. */
  static final String BOOT_3 =
      "org.springframework.boot.autoconfigure.amqp.RabbitAutoConfiguration";

  @Override
  public ConfigurationPhase getConfigurationPhase() {
    return ConfigurationPhase.REGISTER_BEAN;
  }

  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata metadata) {
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    return beans != null && excluded(beans) && !hasConnectionFactory(beans)
        ? ConditionOutcome.noMatch(
            ConditionMessage.of(
                "there is no ConnectionFactory, and RabbitAutoConfiguration is excluded"))
        : ConditionOutcome.match();
  }

  private static boolean excluded(ConfigurableListableBeanFactory beans) {
    List<String> exclusions = ConditionEvaluationReport.get(beans).getExclusions();
    return exclusions.contains(BOOT_4) || exclusions.contains(BOOT_3);
  }

  private static boolean hasConnectionFactory(ConfigurableListableBeanFactory beans) {
    return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beans, ConnectionFactory.class, true, false)
            .length
        > 0;
  }
}
