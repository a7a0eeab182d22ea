// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless a key of ours has the value {@link #unless}. A value that is neither {@code true}
 * nor {@code false} is left to {@link CheckedProperties}, which refuses it with all other faults.
 * Boot's own conditions would throw at an unset variable, and pass over other words.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnSwitch.OnSwitch.class)
@interface ConditionalOnSwitch {
  /** The key. */
  String name();

  /** The value with which it does not match, in upper or lower case. */
  boolean unless();

  /** The value if the key is missing. */
  boolean missing();

  /** The condition, which reads the key. */
  final class OnSwitch extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      Map<String, Object> of =
          metadata.getAnnotationAttributes(ConditionalOnSwitch.class.getName());
      if (of == null) {
        return ConditionOutcome.match();
      }
      String name = String.valueOf(of.get("name"));
      String value =
          Binder.get(context.getEnvironment())
              .bind(name, String.class)
              .orElse(String.valueOf(of.get("missing")));
      boolean matches = !value.equalsIgnoreCase(String.valueOf(of.get("unless")));
      return new ConditionOutcome(
          matches,
          ConditionMessage.forCondition(ConditionalOnSwitch.class).because(name + " is " + value));
    }
  }
}
