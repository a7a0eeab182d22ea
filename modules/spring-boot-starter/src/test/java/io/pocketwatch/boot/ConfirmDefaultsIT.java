// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What an application has that says nothing about confirms, or says it in one of Boot's ways. */
@ExtendWith(OutputCaptureExtension.class)
class ConfirmDefaultsIT {
  private static final String NONE = "Confirms of 'mine' are off";

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
  void those_that_the_application_turns_on_itself_stay_as_they_are() {
    application
        .withUserConfiguration(OwnConfirms.class)
        .run(
            context -> {
              assertThat(connections(context).isSimplePublisherConfirms()).isTrue();
              assertThat(connections(context).isPublisherConfirms()).isFalse();
            });
  }

  @Test
  void a_connection_factory_of_the_applications_own_without_confirms_is_told_of_once(
      CapturedOutput output) {
    application
        .withUserConfiguration(OwnConnections.class)
        .run(context -> assertThat(connections(context).isPublisherConfirms()).isFalse());
    assertThat(output).containsOnlyOnce(NONE);
  }

  @Test
  void but_not_where_a_property_says_that_it_has_none(CapturedOutput output) {
    application
        .withUserConfiguration(OwnConnections.class)
        .withPropertyValues("spring.rabbitmq.publisher-confirm-type=none")
        .run(context -> assertThat(connections(context).isPublisherConfirms()).isFalse());
    application.run(context -> assertThat(connections(context).isPublisherConfirms()).isTrue());
    assertThat(output).doesNotContain(NONE);
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

  @Configuration(proxyBeanMethods = false)
  static class OwnConfirms {
    @Bean
    static BeanPostProcessor simpleConfirms() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
          if (bean instanceof CachingConnectionFactory factory) {
            factory.setPublisherConfirmType(ConfirmType.SIMPLE);
          }
          return bean;
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnConnections {
    @Bean
    CachingConnectionFactory mine() {
      return new CachingConnectionFactory("localhost", 1);
    }
  }
}
