// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.spring.listener.ListenerGuardPostProcessor;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.Binding.DestinationType;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * A container whose channel is transacted is refused before it starts, where it needs the guard.
 */
class TransactedContainerTest {
  @ParameterizedTest
  @ValueSource(classes = {Transacted.class, WithManager.class})
  void on_the_queue_of_a_tracked_route_it_is_refused(Class<?> container) {
    assertThatThrownBy(() -> StoreContext.with(Bound.class, container).close())
        .rootCause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("'work'", "'timeout' (tracked)", "channelTransacted")
        .hasMessageContainingAll("@Transactional", "SettleInTransaction");
  }

  @Test
  void so_it_is_on_that_of_a_route_with_retries() {
    assertThatThrownBy(
            () -> StoreContext.with(Bound.class, Transacted.class, Retries.class).close())
        .rootCause()
        .hasMessageContainingAll("'work'", "'mail' (retries)", "channelTransacted");
  }

  @Test
  void on_any_other_queue_it_is_not() {
    try (AnnotationConfigApplicationContext context = StoreContext.with(Transacted.class)) {
      assertThat(context.getBean(ListenerGuardPostProcessor.class).isRunning()).isTrue();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Bound {
    @Bean
    Binding binding() {
      return new Binding("work", DestinationType.QUEUE, "orders", "any", null);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Retries {
    @Bean
    @Primary
    DelayRoutes withRetries() {
      return DelayRoutes.builder()
          .route(
              DelayRoute.builder("mail").exchange("orders").retries(Duration.ofSeconds(1)).build())
          .build();
    }
  }

  private static SimpleMessageListenerContainer container(ConnectionFactory connections) {
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(connections);
    container.setQueueNames("work");
    container.setAutoStartup(false);
    container.setMessageListener(message -> {});
    return container;
  }

  @Configuration(proxyBeanMethods = false)
  static class Transacted {
    @Bean
    SimpleMessageListenerContainer container(ConnectionFactory connections) {
      SimpleMessageListenerContainer container = TransactedContainerTest.container(connections);
      container.setChannelTransacted(true);
      return container;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithManager {
    @Bean
    SimpleMessageListenerContainer container(
        ConnectionFactory connections, JdbcTransactionManager transactions) {
      SimpleMessageListenerContainer container = TransactedContainerTest.container(connections);
      container.setTransactionManager(transactions);
      return container;
    }
  }
}
