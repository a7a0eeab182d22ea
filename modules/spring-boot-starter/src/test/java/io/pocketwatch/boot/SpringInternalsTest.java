// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.spring.internal.SpringInternals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/** In the version of Spring AMQP that this starter brings. */
class SpringInternalsTest {
  @ParameterizedTest
  @EnumSource
  void each_is_there(SpringInternals entry) {
    assertThat(entry.find()).isNotNull();
  }

  @Test
  void it_is_among_those_that_were_seen() {
    String version = RabbitTemplate.class.getPackage().getImplementationVersion();
    assertThat(SpringInternals.SEEN_IN).contains(version.replaceFirst("\\.\\d+$", ""));
  }
}
