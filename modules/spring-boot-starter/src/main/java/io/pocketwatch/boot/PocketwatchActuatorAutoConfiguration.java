// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.PocketwatchStatus;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Import;

/** Health, where the application has the actuator. */
@AutoConfiguration(after = PocketwatchAutoConfiguration.class)
@ConditionalOnBean(PocketwatchStatus.class)
@Import(BootHealth.class)
public final class PocketwatchActuatorAutoConfiguration {}
