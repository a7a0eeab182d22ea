// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.docs;

import static io.pocketwatch.spring.Delayed.delay;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.declare.DelayedRabbitAdmin;
import io.pocketwatch.spring.wiring.PocketwatchWiring;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.amqp.rabbit.annotation.Exchange;
import org.springframework.amqp.rabbit.annotation.Queue;
import org.springframework.amqp.rabbit.annotation.QueueBinding;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The Java of from-the-plugin.md, compiled here and run by {@link MigrationGuideIT}. */
final class MigrationSnippets {
  private MigrationSnippets() {}

  @Configuration
  @Import(PocketwatchWiring.class)
  static class DelayConfiguration {
    @Bean
    DelayRoutes pocketwatchRoutes() {
      return DelayRoutes.none(); // or DelayRoutes.load(…), a file such as config/pocketwatch.yml
    }

    @Bean
    DelayedRabbitTemplate rabbitTemplate(ConnectionFactory connections, DelayedPublisher delays) {
      return new DelayedRabbitTemplate(connections, delays); // in place of new RabbitTemplate(…)
    }

    @Bean
    DelayedRabbitAdmin rabbitAdmin(ConnectionFactory connections) {
      return new DelayedRabbitAdmin(connections); // in place of new RabbitAdmin(…)
    }
  }

  /** Written for the plugin. */
  static class Unchanged {
    final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

    void remind(RabbitTemplate rabbitTemplate, Object order) {
      rabbitTemplate.convertAndSend(
          "orders",
          "order.timeout",
          order,
          message -> {
            message.getMessageProperties().setDelayLong(1_000L);
            return message;
          });
    }

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @Queue("order-timeouts"),
                exchange = @Exchange(value = "orders", delayed = "true"),
                key = "order.timeout"))
    void timedOut(String order) {
      cancelUnpaid(order);
    }

    void cancelUnpaid(String order) {
      handled.add(order);
    }
  }

  static void beyondThePlugin(RabbitTemplate rabbitTemplate, Object order) {
    rabbitTemplate.convertAndSend("orders", "order.timeout", order, delay(Duration.ofDays(20)));
  }
}
