// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Where Boot's configuration for RabbitMQ is excluded, and ours is not. */
final class OnAbsence extends SpringBootCondition {
  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata metadata) {
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    List<String> excluded =
        beans == null ? List.of() : ConditionEvaluationReport.get(beans).getExclusions();
    boolean match =
        excluded.contains(OnRabbit.BOOTS)
            && !excluded.contains(PocketwatchAutoConfiguration.class.getName());
    return new ConditionOutcome(match, ConditionMessage.of("excluded are %s", excluded));
  }
}
