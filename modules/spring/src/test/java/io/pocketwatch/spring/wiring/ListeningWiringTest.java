// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.spring.listener.ListenerGuardPostProcessor;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** What the listeners of an application get, and what does not start. */
class ListeningWiringTest {
  @Test
  void several_guards_need_a_primary_one_and_the_start_says_so() {
    assertThatThrownBy(() -> StoreContext.with(JdbcGuardWiring.class, OwnGuard.class).close())
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("pocketwatchGuard", "mine", "@Primary");
  }

  @Test
  void a_primary_one_stands_before_the_listeners() {
    try (AnnotationConfigApplicationContext context =
        StoreContext.with(JdbcGuardWiring.class, PrimaryGuard.class)) {
      assertThat(context.getBean(DeliveryGuard.class).consumer("any")).isEqualTo("primary");
    }
  }

  @Test
  void without_a_guard_they_acknowledge_as_they_like() {
    try (AnnotationConfigApplicationContext context =
        StoreContext.with(DifferentContainers.class)) {
      assertThat(context.getBean(ListenerGuardPostProcessor.class).isRunning()).isTrue();
    }
  }

  @Test
  void queues_of_one_name_at_two_brokers_are_two() {
    try (AnnotationConfigApplicationContext context =
        StoreContext.with(JdbcGuardWiring.class, TwoBrokers.class)) {
      assertThat(context.getBean(ListenerGuardPostProcessor.class).isRunning()).isTrue();
    }
  }

  private static SimpleMessageListenerContainer container(
      ConnectionFactory connections, AcknowledgeMode mode) {
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(connections);
    container.setQueueNames("work");
    container.setAcknowledgeMode(mode);
    container.setAutoStartup(false);
    container.setMessageListener(message -> {});
    return container;
  }

  @Configuration(proxyBeanMethods = false)
  static class DifferentContainers {
    @Bean
    SimpleMessageListenerContainer one(ConnectionFactory connections) {
      return container(connections, AcknowledgeMode.AUTO);
    }

    @Bean
    SimpleMessageListenerContainer other(ConnectionFactory connections) {
      return container(connections, AcknowledgeMode.MANUAL);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoBrokers {
    @Bean
    SimpleMessageListenerContainer one(ConnectionFactory connections) {
      return container(connections, AcknowledgeMode.AUTO);
    }

    @Bean
    SimpleMessageListenerContainer other() {
      return container(new CachingConnectionFactory("elsewhere"), AcknowledgeMode.MANUAL);
    }
  }

  private static DeliveryGuard guard(DelayedPublisher publisher, String consumer) {
    return DeliveryGuard.of(publisher, GuardOptions.builder().consumer(consumer).build());
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnGuard {
    @Bean
    DeliveryGuard mine(DelayedPublisher publisher) {
      return guard(publisher, "mine");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class PrimaryGuard {
    @Bean
    @Primary
    DeliveryGuard primary(DelayedPublisher publisher) {
      return guard(publisher, "primary");
    }
  }
}
