// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A target that is away for two seconds around a restart of its application. */
class TransientTargetsIT {
  private static final String QUEUE = "transient-targets";
  private static final List<Duration> DELAYS =
      Stream.of(5, 20, 80).map(Duration::ofSeconds).toList();

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Test
  void what_is_held_for_an_auto_delete_queue_reaches_the_next_one() {
    assertThat(DELAYS)
        .as("the restart has taken longer than each")
        .anyMatch(TransientTargetsIT::restartedInTime);
  }

  /** Whether the application was back before what is held that long was due; then it has it. */
  private static boolean restartedInTime(Duration delay) {
    try (Connection connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      long due;
      channel.queueDelete(unroutable()); // with what came there too late before
      try (AnnotationConfigApplicationContext first = start()) {
        first.getBean(RabbitAdmin.class).initialize();
        due = System.nanoTime() + delay.toNanos();
        DelayedPublisher publisher = first.getBean(DelayedPublisher.class);
        if (!publisher.publish(DelayedMessage.toQueue(QUEUE).delay(delay)).join().confirmed()) {
          return false; // a broker so busy that it is not known whether it holds the message
        }
      }
      String consumer = channel.basicConsume(QUEUE, (tag, delivery) -> {}, tag -> {});
      channel.basicCancel(consumer);
      await()
          .atMost(ofMinutes(1)) // a busy machine
          .until(
              () -> {
                try (Channel other = connection.createChannel()) {
                  other.queueDeclarePassive(QUEUE);
                  return false;
                } catch (IOException e) {
                  return true; // it went with its last consumer
                }
              });

      try (AnnotationConfigApplicationContext second = start()) {
        second.getBean(RabbitAdmin.class).initialize();
        if (System.nanoTime() > due) {
          return false; // it came while nobody was there, and may be gone with the queue
        }

        await()
            .atMost(delay.plusMinutes(1))
            .until(() -> channel.messageCount(QUEUE) + channel.messageCount(unroutable()) == 1);
        assertThat(channel.messageCount(QUEUE)).isEqualTo(1);
        return true;
      }
    } catch (IOException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private static String unroutable() {
    return QUEUE + ".unroutable";
  }

  private static AnnotationConfigApplicationContext start() {
    return new AnnotationConfigApplicationContext(
        PublisherWiring.class, ListeningWiring.class, Application.class);
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    ConnectionFactory connections() {
      return new CachingConnectionFactory(BROKER.connectionFactory());
    }

    @Bean
    RabbitAdmin admin(ConnectionFactory connections) {
      return new RabbitAdmin(connections);
    }

    @Bean
    DelayRoutes routes() {
      return DelayRoutes.builder()
          .defaults(
              DelayRoute.defaults().toBuilder()
                  .strategy(DelayStrategy.TTL_QUEUE)
                  .delays(DELAYS.toArray(Duration[]::new))
                  .build())
          .hold(HoldOptions.builder().namePrefix(QUEUE).build())
          .build();
    }

    @Bean
    Queue queue() {
      return QueueBuilder.durable(QUEUE).classic().autoDelete().build();
    }
  }
}
