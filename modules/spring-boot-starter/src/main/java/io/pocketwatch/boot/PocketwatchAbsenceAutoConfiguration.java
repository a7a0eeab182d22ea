// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.AbsenceWarning;
import io.pocketwatch.spring.wiring.PocketwatchSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Where Pocketwatch was left out, see {@link OnRabbit}, and its user may not know. */
@AutoConfiguration(after = PocketwatchAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "pocketwatch.enabled", matchIfMissing = true)
@Conditional(OnAbsence.class)
@ConditionalOnMissingBean(PocketwatchSettings.class)
public final class PocketwatchAbsenceAutoConfiguration {
  @Bean
  static AbsenceWarning pocketwatchAbsenceWarning(ListableBeanFactory beans) {
    return new AbsenceWarning(beans, OnRabbit.BOOTS);
  }
}
