// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class ConfirmDefaultsTest {
  private final ConfigurableEnvironment environment = new StandardEnvironment();

  @BeforeEach
  void withoutThisMachines() {
    environment.getPropertySources().forEach(source -> remove(source.getName()));
  }

  @Test
  void an_application_that_says_nothing_has_confirms_and_returns_but_is_not_mandatory() {
    assertThat(defaults())
        .isEqualTo(
            Map.of(
                "spring.rabbitmq.publisher-confirm-type", "correlated",
                "spring.rabbitmq.publisher-returns", "true",
                "spring.rabbitmq.template.mandatory", "false"));
    assertThat(ConfirmDefaults.haveTurnedOnConfirms(environment)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spring.rabbitmq.publisher-confirm-type",
        "spring.rabbitmq.publisherConfirmType",
        "spring.rabbitmq.publisher_confirm_type"
      })
  void a_confirm_type_of_the_application_stays(String spelling) {
    environment.getPropertySources().addFirst(new MapPropertySource("file", Map.of(spelling, "x")));
    assertThat(defaults())
        .containsOnlyKeys(
            "spring.rabbitmq.publisher-returns", "spring.rabbitmq.template.mandatory");
    assertThat(ConfirmDefaults.haveTurnedOnConfirms(environment)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SPRING_RABBITMQ_PUBLISHER_CONFIRM_TYPE",
        "SPRING_RABBITMQ_PUBLISHERCONFIRMTYPE",
        "spring_rabbitmq_publisherconfirmtype"
      })
  void one_of_an_environment_variable_too(String variable) {
    environment
        .getPropertySources()
        .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", Map.of(variable, "x")));
    assertThat(defaults()).doesNotContainKey("spring.rabbitmq.publisher-confirm-type");
  }

  /** Boot's own rule: mandatory wherever returns are on and nothing else is said. */
  @Test
  void who_turns_on_returns_himself_is_mandatory_as_boot_has_it() {
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("file", Map.of("spring.rabbitmq.publisher-returns", true)));
    assertThat(defaults()).containsOnlyKeys("spring.rabbitmq.publisher-confirm-type");
  }

  @Test
  void nothing_is_added_where_all_is_said() {
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "file",
                Map.of(
                    "spring.rabbitmq.publisher-returns",
                    false,
                    "spring.rabbitmq.publisher-confirm-type",
                    "none")));
    assertThat(defaults()).isNull();
  }

  @Test
  void they_come_last_and_what_a_parent_context_has_of_them_is_not_the_applications() {
    environment
        .getPropertySources()
        .addLast(
            new MapPropertySource(
                ConfirmDefaults.SOURCE,
                Map.of("spring.rabbitmq.publisher-confirm-type", "correlated")));
    environment.getPropertySources().addLast(new MapPropertySource("file", Map.of()));
    assertThat(defaults()).hasSize(3);
    assertThat(environment.getPropertySources().stream().map(PropertySource::getName))
        .containsExactly("file", ConfirmDefaults.SOURCE);
  }

  private Map<String, Object> defaults() {
    new ConfirmDefaults(environment).postProcessBeanFactory(new DefaultListableBeanFactory());
    PropertySource<?> source = environment.getPropertySources().get(ConfirmDefaults.SOURCE);
    return source instanceof MapPropertySource map ? map.getSource() : null;
  }

  private void remove(String source) {
    environment.getPropertySources().remove(source);
  }
}
