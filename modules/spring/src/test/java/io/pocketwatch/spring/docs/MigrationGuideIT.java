// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.spring.docs.MigrationSnippets.DelayConfiguration;
import io.pocketwatch.spring.docs.MigrationSnippets.Unchanged;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application without Boot does what from-the-plugin.md says, and nothing else. */
class MigrationGuideIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Test
  void what_was_written_for_the_plugin_works_with_the_configuration_of_the_guide()
      throws Exception {
    try (AnnotationConfigApplicationContext context =
        new AnnotationConfigApplicationContext(
            Existing.class, DelayConfiguration.class, Unchanged.class)) {
      Unchanged application = context.getBean(Unchanged.class);
      RabbitTemplate template = context.getBean(RabbitTemplate.class);
      MigrationSnippets.beyondThePlugin(template, "18");
      long sent = System.nanoTime();
      application.remind(template, "17");
      assertThat(application.handled.poll(20, TimeUnit.SECONDS)).isEqualTo("17");
      assertThat(Duration.ofNanos(System.nanoTime() - sent))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
      assertThat(application.handled).isEmpty();
    }
  }

  /** What such an application has anyway. */
  @Configuration(proxyBeanMethods = false)
  @EnableRabbit
  static class Existing {
    @Bean
    CachingConnectionFactory connections() {
      return new CachingConnectionFactory(BROKER.connectionFactory());
    }

    @Bean
    SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(
        CachingConnectionFactory connections) {
      SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(connections);
      return factory;
    }
  }
}
