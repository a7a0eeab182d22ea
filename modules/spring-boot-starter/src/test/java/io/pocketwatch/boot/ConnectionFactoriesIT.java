// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.wiring.BrokerAccess;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.SimpleRoutingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.type.AnnotationMetadata;

/** Applications with other connection factories than the one Boot makes; their brokers are away. */
class ConnectionFactoriesIT {
  /** By its name in both lines. */
  private static final String WITHOUT_BOOTS =
      "spring.autoconfigure.exclude="
          + "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration,"
          + "org.springframework.boot.autoconfigure.amqp.RabbitAutoConfiguration";

  private final ApplicationContextRunner application =
      new ApplicationContextRunner().withUserConfiguration(Empty.class);

  @Test
  void of_several_the_primary_one_says_where_the_broker_is() {
    application
        .withUserConfiguration(Several.class, PrimaryOne.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(BrokerAccess.class).factory().getHost())
                  .isEqualTo("primary.invalid");
              assertThat(context).hasSingleBean(DelayedRabbitTemplate.class);
            });
  }

  @Test
  void several_without_a_primary_one_are_refused_with_what_to_do() {
    application
        .withUserConfiguration(Several.class)
        .run(
            context ->
                assertThat(context)
                    .hasFailed()
                    .getFailure()
                    .rootCause()
                    .hasMessageContainingAll(
                        "several connection factories",
                        "one",
                        "other",
                        "@Primary",
                        "io.pocketwatch.spring.wiring.BrokerAccess",
                        "pocketwatch.enabled: false"));
  }

  @Test
  void several_with_an_access_defined_leave_templates_to_the_application() {
    application
        .withUserConfiguration(Several.class, Access.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).hasSingleBean(DelayedPublisher.class);
              assertThat(context).doesNotHaveBean(RabbitTemplate.class);
              assertThat(context).doesNotHaveBean(AmqpAdmin.class);
            });
  }

  @Test
  void a_routing_one_says_it_by_its_default_target() {
    application
        .withUserConfiguration(RoutingWithDefault.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(BrokerAccess.class).factory().getHost())
                  .isEqualTo("default.invalid");
            });
  }

  @Test
  void a_routing_one_without_a_default_target_is_refused_with_what_to_do() {
    application
        .withUserConfiguration(RoutingWithoutDefault.class)
        .run(
            context ->
                assertThat(context)
                    .hasFailed()
                    .getFailure()
                    .rootCause()
                    .hasMessageContainingAll(
                        "SimpleRoutingConnectionFactory",
                        "default target",
                        "io.pocketwatch.spring.wiring.BrokerAccess"));
  }

  @Test
  void with_a_mocked_one_the_application_starts_and_a_delayed_message_says_what_is_missing() {
    application
        .withUserConfiguration(Mocked.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              DelayedPublisher publisher = context.getBean(DelayedPublisher.class);
              assertThat(publisher.status().connected()).isFalse();
              assertThat(
                      publisher
                          .publish(DelayedMessage.to("x", "y").delay(Duration.ofSeconds(5)))
                          .get(10, TimeUnit.SECONDS))
                  .satisfies(
                      receipt -> {
                        assertThat(receipt.outcome()).isEqualTo(PublishOutcome.REJECTED);
                        assertThat(receipt.detail())
                            .contains(
                                "does not say where its broker is",
                                "io.pocketwatch.spring.wiring.BrokerAccess");
                      });
            });
  }

  @Test
  void an_application_that_excludes_boots_and_has_none_starts_without_us() {
    application
        .withPropertyValues(WITHOUT_BOOTS)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).doesNotHaveBean(DelayedPublisher.class);
              assertThat(context).doesNotHaveBean(RabbitTemplate.class);
            });
  }

  @Test
  void so_does_one_whose_connection_factory_comes_too_late_for_us() {
    application
        .withUserConfiguration(BringingLate.class)
        .withPropertyValues(WITHOUT_BOOTS)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).doesNotHaveBean(DelayedPublisher.class);
            });
  }

  @Test
  void one_that_excludes_boots_and_has_its_own_starts_with_a_template_on_it() {
    application
        .withUserConfiguration(PrimaryOne.class)
        .withPropertyValues(WITHOUT_BOOTS)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(DelayedRabbitTemplate.class).getConnectionFactory())
                  .isSameAs(context.getBean(ConnectionFactory.class));
            });
  }

  private static CachingConnectionFactory to(String host) {
    return new CachingConnectionFactory(host, 1);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Empty {}

  @Configuration(proxyBeanMethods = false)
  static class Several {
    @Bean
    ConnectionFactory one() {
      return to("one.invalid");
    }

    @Bean
    ConnectionFactory other() {
      return to("other.invalid");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class PrimaryOne {
    @Bean
    @Primary
    ConnectionFactory third() {
      return to("primary.invalid");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Access {
    @Bean
    BrokerAccess access() {
      return BrokerAccess.of(to("access.invalid"));
    }

    /** Boot's own asks for the one connection factory. */
    @Bean
    SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory() {
      return new SimpleRabbitListenerContainerFactory();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class RoutingWithDefault {
    @Bean
    ConnectionFactory routing() {
      SimpleRoutingConnectionFactory routing = new SimpleRoutingConnectionFactory();
      routing.setDefaultTargetConnectionFactory(to("default.invalid"));
      return routing;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class RoutingWithoutDefault {
    @Bean
    ConnectionFactory routing() {
      SimpleRoutingConnectionFactory routing = new SimpleRoutingConnectionFactory();
      routing.setTargetConnectionFactories(Map.of("one", to("one.invalid")));
      return routing;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import(AfterAutoConfiguration.class)
  static class BringingLate {}

  /** As an auto-configuration of another product that goes after ours. */
  static class AfterAutoConfiguration implements DeferredImportSelector {
    @Override
    public String[] selectImports(AnnotationMetadata importing) {
      return new String[] {Late.class.getName()};
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Late {
    @Bean
    ConnectionFactory late() {
      return to("late.invalid");
    }
  }

  /** Does what a mock does: nothing. */
  @Configuration(proxyBeanMethods = false)
  static class Mocked {
    @Bean
    ConnectionFactory connectionFactory() {
      return (ConnectionFactory)
          Proxy.newProxyInstance(
              ConnectionFactoriesIT.class.getClassLoader(),
              new Class<?>[] {ConnectionFactory.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> "mock";
                    default ->
                        method.getReturnType() == boolean.class
                            ? Boolean.FALSE
                            : method.getReturnType() == int.class ? (Object) 0 : null;
                  });
    }
  }
}
