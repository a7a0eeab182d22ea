// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.spring.ReplyDelayRefusal;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.ExchangeBuilder;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;

/** What is looked at in an application: confirms of transacted channels, replies of listeners. */
@ExtendWith(OutputCaptureExtension.class)
class ApplicationChecksIT {
  private static final String SWITCHED_OFF = "transacted, which excludes confirms";

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withPropertyValues(
              "spring.rabbitmq.addresses=localhost:1",
              "spring.rabbitmq.listener.simple.auto-startup=false");

  @Test
  void a_transacted_listener_goes_without_the_confirms_we_would_turn_on(CapturedOutput output) {
    application
        .withUserConfiguration(TransactedListener.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(CachingConnectionFactory.class).isPublisherConfirms())
                  .isFalse();
              assertThat(output)
                  .contains(SWITCHED_OFF)
                  .contains("spring.rabbitmq.publisher-confirm-type");
            });
  }

  @Test
  void so_does_a_transacted_template_that_is_made_late(CapturedOutput output) {
    application
        .withUserConfiguration(LazyTransactedTemplate.class)
        .withPropertyValues("management.health.rabbit.enabled=false") // asks every template
        .run(
            context -> {
              CachingConnectionFactory connections =
                  context.getBean(CachingConnectionFactory.class);
              assertThat(connections.isPublisherConfirms()).isTrue();
              context.getBean("lazy");
              assertThat(connections.isPublisherConfirms()).isFalse();
              assertThat(output).contains(SWITCHED_OFF);
            });
  }

  @Test
  void so_does_a_transaction_manager_of_the_brokers() {
    application
        .withUserConfiguration(BrokerTransactions.class)
        .run(
            context ->
                assertThat(context.getBean(CachingConnectionFactory.class).isPublisherConfirms())
                    .isFalse());
  }

  @Test
  void so_does_a_transacted_container_that_is_registered_late() {
    application
        .withUserConfiguration(LazyTransactedTemplate.class)
        .withPropertyValues("management.health.rabbit.enabled=false")
        .run(
            context -> {
              CachingConnectionFactory connections =
                  context.getBean(CachingConnectionFactory.class);
              assertThat(connections.isPublisherConfirms()).isTrue();
              SimpleMessageListenerContainer late = new SimpleMessageListenerContainer(connections);
              late.setChannelTransacted(true);
              context.getAutowireCapableBeanFactory().initializeBean(late, "late");
              assertThat(connections.isPublisherConfirms()).isFalse();
            });
  }

  @Test
  void so_does_a_listener_whose_endpoint_is_registered_late() {
    application
        .withUserConfiguration(TransactedFactory.class)
        .run(
            context -> {
              CachingConnectionFactory connections =
                  context.getBean(CachingConnectionFactory.class);
              RabbitListenerEndpointRegistry registry =
                  context.getBean(RabbitListenerEndpointRegistry.class);
              assertThat(registry.getListenerContainers()).isEmpty();
              SimpleRabbitListenerEndpoint late = new SimpleRabbitListenerEndpoint();
              late.setId("late");
              late.setQueueNames("starter-transacted-listener");
              late.setMessageListener(message -> {});
              registry.registerListenerContainer(
                  late, context.getBean("transacted", SimpleRabbitListenerContainerFactory.class));
              assertThat((SimpleMessageListenerContainer) registry.getListenerContainer("late"))
                  .matches(SimpleMessageListenerContainer::isChannelTransacted);
              assertThat(connections.isPublisherConfirms()).isFalse();
            });
  }

  @Test
  void confirms_that_the_application_asks_for_stay(CapturedOutput output) {
    application
        .withUserConfiguration(TransactedListener.class)
        .withPropertyValues("spring.rabbitmq.publisher-confirm-type=correlated")
        .run(
            context -> {
              assertThat(context.getBean(CachingConnectionFactory.class).isPublisherConfirms())
                  .isTrue();
              assertThat(output).doesNotContain(SWITCHED_OFF);
            });
  }

  @Test
  void a_connection_factory_of_the_applications_own_is_left_alone(CapturedOutput output) {
    application
        .withUserConfiguration(OwnConnections.class, TransactedListener.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(CachingConnectionFactory.class).isPublisherConfirms())
                  .isTrue();
              assertThat(output).doesNotContain(SWITCHED_OFF);
            });
  }

  @Test
  void delayed_replies_of_listeners_are_refused() {
    application
        .withUserConfiguration(TransactedListener.class)
        .run(context -> assertThat(context).hasSingleBean(ReplyDelayRefusal.class));
  }

  @Test
  void configprops_has_the_keys_without_their_values() {
    application
        .withUserConfiguration(LazyTemplate.class)
        .withPropertyValues(
            "management.endpoints.web.exposure.include=configprops",
            "management.health.rabbit.enabled=false",
            "pocketwatch.native=auto",
            "pocketwatch.routes.order-timeout.exchange=orders")
        .run(
            context -> {
              ConfigurationPropertiesReportEndpoint endpoint =
                  context.getBean(ConfigurationPropertiesReportEndpoint.class);
              Map<String, Object> shown =
                  endpoint
                      .configurationPropertiesWithPrefix("pocketwatch")
                      .getContexts()
                      .values()
                      .iterator()
                      .next()
                      .getBeans()
                      .values()
                      .iterator()
                      .next()
                      .getProperties();
              assertThat(shown)
                  .containsEntry("namePrefix", "******")
                  .containsEntry("native", "******")
                  .containsKeys("wheel", "loader", "guard", "store");
              assertThat(shown.get("routes"))
                  .isEqualTo(Map.of("order-timeout", Map.of("exchange", "******")));
            });
  }

  @Test
  void listeners_are_guarded_for_the_queues_of_the_applications_own_routes() {
    application
        .withUserConfiguration(LazyTemplate.class)
        .withBean(DelayRoutes.class, () -> DelayRoutes.of(Map.of("name-prefix", "mine"), "test"))
        .withPropertyValues(
            "management.health.rabbit.enabled=false", "pocketwatch.guard.handling-lease=7s")
        .run(
            context -> {
              GuardOptions options = context.getBean(GuardOptions.class);
              assertThat(options.namePrefix()).isEqualTo("mine");
              assertThat(options.handlingLease()).isEqualTo(Duration.ofSeconds(7));
            });
  }

  @Test
  void a_store_that_is_asked_for_and_not_there_stops_the_start() {
    application
        .withUserConfiguration(LazyTemplate.class)
        .withPropertyValues("pocketwatch.store.enabled=true")
        .withClassLoader(new FilteredClassLoader("io.pocketwatch.store.jdbc"))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining(
                        "pocketwatch.store.enabled is true, but there is no store"));
  }

  @Test
  void an_admin_of_its_own_is_warned_of_where_it_would_need_the_plugin(CapturedOutput output) {
    application
        .withUserConfiguration(OwnAdmin.class, OwnConnections.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(output)
                  .contains("The admin 'plain' is not a DelayedRabbitAdmin")
                  .contains("'delayed-orders'");
            });
  }

  @Test
  void what_is_lazy_is_not_made() {
    application
        .withUserConfiguration(LazyTemplate.class)
        .withPropertyValues("management.health.rabbit.enabled=false") // asks every template
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBeanFactory().containsSingleton("lazy")).isFalse();
            });
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class TransactedFactory {
    @Bean
    static SimpleRabbitListenerContainerFactory transacted(ConnectionFactory connectionFactory) {
      SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(connectionFactory);
      factory.setChannelTransacted(true);
      factory.setAutoStartup(false);
      return factory;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TransactedListener extends TransactedFactory {
    @RabbitListener(queues = "starter-transacted-listener", containerFactory = "transacted")
    void handle(String text) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnConnections {
    @Bean
    CachingConnectionFactory mine() {
      CachingConnectionFactory mine = new CachingConnectionFactory("localhost", 1);
      mine.setPublisherConfirmType(ConfirmType.CORRELATED);
      return mine;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnAdmin {
    @Bean
    RabbitAdmin plain(ConnectionFactory connectionFactory) {
      return new RabbitAdmin(connectionFactory);
    }

    @Bean
    DirectExchange delayedOrders() {
      return ExchangeBuilder.directExchange("delayed-orders").delayed().build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class LazyTransactedTemplate {
    @Bean
    @Primary
    RabbitTemplate used(ConnectionFactory connectionFactory) {
      return new RabbitTemplate(connectionFactory);
    }

    @Bean
    @Lazy
    RabbitTemplate lazy(ConnectionFactory connectionFactory) {
      RabbitTemplate lazy = new RabbitTemplate(connectionFactory);
      lazy.setChannelTransacted(true);
      return lazy;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class BrokerTransactions {
    @Bean
    RabbitTransactionManager transactions(ConnectionFactory connectionFactory) {
      return new RabbitTransactionManager(connectionFactory);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class LazyTemplate {
    @Bean
    @Primary
    RabbitTemplate used(ConnectionFactory connectionFactory) {
      return new RabbitTemplate(connectionFactory);
    }

    @Bean
    @Lazy
    RabbitTemplate lazy(ConnectionFactory connectionFactory) {
      return new RabbitTemplate(connectionFactory);
    }
  }
}
