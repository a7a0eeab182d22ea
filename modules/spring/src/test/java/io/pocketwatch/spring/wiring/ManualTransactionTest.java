// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.pocketwatch.spring.listener.ListenerGuardPostProcessor;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.Binding.DestinationType;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/** A listener that acknowledges inside of a transaction is refused before its container starts. */
class ManualTransactionTest {
  @ParameterizedTest
  @ValueSource(classes = {OfMethod.class, OfClass.class, OfHandlers.class})
  void a_transactional_listener_that_acknowledges_is_refused_by_name(Class<?> listener) {
    assertThatThrownBy(() -> StoreContext.with(Application.class, listener).close())
        .rootCause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            "container 'timeouts'", "'work'", "'timeout'", "MANUAL", "that of ", ".handle.")
        .hasMessageContainingAll(
            listener.getSimpleName(), "rolled back", "AUTO", "SettleInTransaction");
  }

  @Test
  void so_is_one_whose_container_begins_the_transaction() {
    assertThatThrownBy(() -> StoreContext.with(Application.class, OfAdvice.class).close())
        .rootCause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("'work'", "MANUAL", "of the container", "SettleInTransaction");
  }

  @ParameterizedTest
  @ValueSource(classes = {Auto.class, Outside.class, Future.class, Untracked.class})
  void any_other_is_not(Class<?> listener) {
    try (AnnotationConfigApplicationContext context =
        StoreContext.with(Application.class, listener)) {
      assertThat(context.getBean(ListenerGuardPostProcessor.class).isRunning()).isTrue();
    }
  }

  @Test
  void nor_is_a_transactional_method_beside_the_listener() {
    try (AnnotationConfigApplicationContext context =
        StoreContext.with(Application.class, Beside.class)) {
      assertThat(context.getBean(ListenerGuardPostProcessor.class).isRunning()).isTrue();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableRabbit
  @EnableTransactionManagement(proxyTargetClass = true)
  static class Application {
    @Bean
    SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(
        ConnectionFactory connections) {
      SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(connections);
      factory.setAutoStartup(false);
      return factory;
    }

    @Bean
    Binding binding() {
      return new Binding("work", DestinationType.QUEUE, "orders", "any", null);
    }
  }

  static class OfMethod {
    @RabbitListener(id = "timeouts", queues = "work", ackMode = "MANUAL")
    @Transactional
    void handle(String body, Channel channel) {}
  }

  @Transactional
  static class OfClass {
    @RabbitListener(id = "timeouts", queues = "work", ackMode = "MANUAL")
    void handle(String body, Channel channel) {}
  }

  @RabbitListener(id = "timeouts", queues = "work", ackMode = "MANUAL")
  static class OfHandlers {
    @RabbitHandler
    void read(byte[] body) {}

    @RabbitHandler
    @Transactional
    void handle(String body, Channel channel) {}
  }

  static class Auto {
    @RabbitListener(queues = "work")
    @Transactional
    void handle(String body) {}
  }

  static class Outside {
    @RabbitListener(queues = "work", ackMode = "MANUAL")
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void handle(String body, Channel channel) {}
  }

  /** Spring acknowledges when it completes. */
  static class Future {
    @RabbitListener(queues = "work")
    @Transactional
    CompletableFuture<Void> handle(String body) {
      return CompletableFuture.completedFuture(null);
    }
  }

  static class Untracked {
    @RabbitListener(queues = "elsewhere", ackMode = "MANUAL")
    @Transactional
    void handle(String body, Channel channel) {}
  }

  static class Beside {
    @RabbitListener(queues = "work", ackMode = "MANUAL")
    void handle(String body, Channel channel) {}

    @RabbitListener(queues = "work")
    @Transactional
    void other(String body) {}
  }

  private static SimpleMessageListenerContainer container(ConnectionFactory connections) {
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(connections);
    container.setQueueNames("work");
    container.setAcknowledgeMode(AcknowledgeMode.MANUAL);
    container.setAutoStartup(false);
    container.setMessageListener((ChannelAwareMessageListener) (message, channel) -> {});
    return container;
  }

  @Configuration(proxyBeanMethods = false)
  static class OfAdvice {
    @Bean
    SimpleMessageListenerContainer container(
        ConnectionFactory connections, JdbcTransactionManager transactions) {
      SimpleMessageListenerContainer container = ManualTransactionTest.container(connections);
      Advice advice =
          new TransactionInterceptor(transactions, new MatchAlwaysTransactionAttributeSource());
      container.setAdviceChain(advice);
      return container;
    }
  }
}
