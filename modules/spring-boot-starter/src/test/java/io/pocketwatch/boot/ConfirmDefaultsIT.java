// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What an application has that says nothing about confirms, or says it in one of Boot's ways. */
class ConfirmDefaultsIT {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withUserConfiguration(Empty.class)
          .withPropertyValues("spring.rabbitmq.addresses=localhost:1");

  @Test
  void confirms_and_returns_are_on_and_undelayed_messages_as_ever() {
    application.run(
        context -> {
          assertThat(connections(context).isPublisherConfirms()).isTrue();
          assertThat(connections(context).isPublisherReturns()).isTrue();
          assertThat(mandatory(context)).isFalse();
        });
  }

  @Test
  void a_property_of_the_application_counts() {
    application
        .withPropertyValues(
            "spring.rabbitmq.publisherConfirmType=simple", "spring.rabbitmq.publisher-returns=off")
        .run(
            context -> {
              assertThat(connections(context).isSimplePublisherConfirms()).isTrue();
              assertThat(connections(context).isPublisherReturns()).isFalse();
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spring.rabbitmq.publisher-confirm-type",
        "spring.rabbitmq.publisherConfirmType",
        "spring.rabbitmq.publisher_confirm_type"
      })
  void in_whichever_spelling(String property) {
    application
        .withPropertyValues(property + "=none")
        .run(
            context -> {
              assertThat(connections(context).isPublisherConfirms()).isFalse();
              assertThat(connections(context).isPublisherReturns()).isTrue();
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SPRING_RABBITMQ_PUBLISHER_CONFIRM_TYPE",
        "SPRING_RABBITMQ_PUBLISHERCONFIRMTYPE",
        "spring_rabbitmq_publisherconfirmtype"
      })
  void so_does_an_environment_variable(String variable) {
    application
        .withInitializer(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .replace(
                        "systemEnvironment",
                        new SystemEnvironmentPropertySource(
                            "systemEnvironment", Map.of(variable, "none"))))
        .run(context -> assertThat(connections(context).isPublisherConfirms()).isFalse());
  }

  @Test
  void who_turns_returns_on_has_every_message_mandatory_as_boot_has_it() {
    application
        .withPropertyValues("spring.rabbitmq.publisher-returns=true")
        .run(context -> assertThat(mandatory(context)).isTrue());
  }

  @Test
  void switched_off_it_changes_nothing() {
    application
        .withPropertyValues("pocketwatch.enabled=false")
        .run(
            context -> {
              assertThat(connections(context).isPublisherConfirms()).isFalse();
              assertThat(connections(context).isPublisherReturns()).isFalse();
              assertThat(context.getEnvironment().getProperty("spring.rabbitmq.publisher-returns"))
                  .isNull();
            });
  }

  private static CachingConnectionFactory connections(ApplicationContext context) {
    return context.getBean(CachingConnectionFactory.class);
  }

  private static boolean mandatory(ApplicationContext context) {
    return context.getBean(RabbitTemplate.class).isMandatoryFor(new Message(new byte[0]));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Empty {}
}
