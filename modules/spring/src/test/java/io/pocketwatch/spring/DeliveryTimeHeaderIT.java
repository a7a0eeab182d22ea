// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/**
 * Code written for RabbitMQ 4.4, through our template, where the broker does not know its header.
 */
class DeliveryTimeHeaderIT {
  @Nested
  class OnTheNewest {
    @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

    @Test
    void it_is_an_instant() throws Exception {
      isAnInstant(BROKER);
    }
  }

  @Tag("ci")
  @Nested
  class OnTheOldest {
    @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

    @Test
    void it_is_an_instant() throws Exception {
      isAnInstant(BROKER);
    }
  }

  private static void isAnInstant(BrokerExtension broker) throws Exception {
    try (SpringWorld world = new SpringWorld(broker.connectionFactory())) {
      Exchange exchange = world.declare(new DirectExchange("time-header"));
      List<String> queues = List.of(world.bound(exchange, "key"), world.bound(exchange, "key"));
      DelayedRabbitTemplate template =
          new DelayedRabbitTemplate(world.connections, world.publisher());
      RabbitTemplate plain = new RabbitTemplate(world.connections);
      long due = Instant.now().plusMillis(1_500).toEpochMilli();

      template.convertAndSend(
          exchange.getName(),
          "key",
          "hello",
          message -> {
            message.getMessageProperties().setHeader(DeliveryTime.HEADER, due);
            return message;
          });

      for (String queue : queues) {
        Message message = plain.receive(queue, 10_000);
        assertThat(message).isNotNull();
        assertThat(Duration.between(Instant.ofEpochMilli(due), Instant.now()))
            .isBetween(Duration.ZERO, Duration.ofSeconds(5));
        assertThat(message.getMessageProperties().getHeaders())
            .doesNotContainKey(DeliveryTime.HEADER);
      }
      assertThatThrownBy(
              () ->
                  template.convertAndSend(
                      exchange.getName(),
                      "key",
                      "hello",
                      message -> {
                        message.getMessageProperties().setHeader(DeliveryTime.HEADER, "soon");
                        return message;
                      }))
          .isInstanceOf(DelayedSendException.class)
          .hasMessageContaining("RabbitMQ reads a 64-bit integer");
    }
  }
}
