// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.spring.wiring.PublisherWiring;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;

/** Without Boot: applications with and without a connection factory that reads the address. */
@Tag("ci")
class SpringContextIT {
  @RegisterExtension static final PocketwatchExtension POCKETWATCH = new PocketwatchExtension();

  @ParameterizedTest
  @ValueSource(classes = {OnTestBroker.class, OnItsOwnBroker.class})
  void time_is_moved_on_the_application_s_broker(Class<?> test) throws Exception {
    TestContext tested = new TestContextManager(test).getTestContext();
    try {
      ApplicationContext context = tested.getApplicationContext();
      Channel channel =
          context.getBean(ConnectionFactory.class).createConnection().createChannel(false);
      channel.queueDeclare("mail", true, false, false, null);
      DelayedMessage message = DelayedMessage.toQueue("mail").delay(ofMinutes(30));
      DelayedPublisher publisher = context.getBean(DelayedPublisher.class);
      assertThat(publisher.publish(message).join().confirmed()).isTrue();

      assertThat(context.getBean(TestTime.class).advance(ofMinutes(30))).isOne();

      assertThat(channel.basicGet("mail", true)).isNotNull();
    } finally {
      tested.markApplicationContextDirty(null);
    }
  }

  @Test
  void with_a_test_broker_an_application_on_another_one_is_told() {
    TestContext tested = new TestContextManager(OnAnotherBroker.class).getTestContext();
    try {
      ApplicationContext context = tested.getApplicationContext();
      assertThatThrownBy(() -> context.getBean(TestTime.class))
          .rootCause()
          .hasMessageStartingWith(
              "the application's connection factory does not read spring.rabbitmq.addresses: its"
                  + " virtual host is "
                  + POCKETWATCH.connectionFactory().getVirtualHost()
                  + ", and that of @TestBroker onanotherbroker-");
    } finally {
      tested.markApplicationContextDirty(null);
    }
  }

  @TestBroker
  @ContextConfiguration(classes = {Application.class, ReadsAddresses.class})
  static class OnTestBroker {}

  @ContextConfiguration(classes = {Application.class, HasItsOwn.class})
  static class OnItsOwnBroker {}

  @TestBroker
  @ContextConfiguration(classes = {Application.class, HasItsOwn.class})
  static class OnAnotherBroker {}

  @Configuration
  @Import(PublisherWiring.class)
  static class Application {
    @Bean
    DelayRoutes routes() {
      return DelayRoutes.builder().build();
    }
  }

  @Configuration
  static class ReadsAddresses {
    @Bean
    ConnectionFactory connections(@Value("${spring.rabbitmq.addresses}") URI address) {
      return new CachingConnectionFactory(address);
    }
  }

  @Configuration
  static class HasItsOwn {
    @Bean
    ConnectionFactory connections() {
      return new CachingConnectionFactory(POCKETWATCH.amqpUri());
    }
  }
}
