// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What README.md shows does what README.md says. */
class ReadmeIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @BeforeAll
  static void declareTargets() throws Exception {
    try (Connection connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("orders", "topic", true);
      channel.exchangeDeclare("payments", "topic", true);
      for (String queue : new String[] {"order-timeouts", "invoice-mail"}) {
        channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
      }
      channel.queueBind("order-timeouts", "orders", "order.timeout");
    }
  }

  @Test
  @DisplayName("the first example holds its message")
  void first_message() throws Exception {
    ReadmeSnippets.firstMessage(BROKER.connectionFactory());

    assertThat(held()).isGreaterThanOrEqualTo(1);
  }

  @Test
  @DisplayName("the second example ends with a message that was cancelled in time")
  void using() {
    Instant tomorrow = Instant.now().plus(1, ChronoUnit.DAYS);

    Path configFile = Path.of("..", "..", "config", "pocketwatch.yml");

    assertThat(ReadmeSnippets.using(BROKER.connectionFactory(), configFile, tomorrow))
        .isEqualTo(ChangeOutcome.DONE);
  }

  @Test
  @DisplayName("the consumer reads a delayed delivery")
  void consumer() throws Exception {
    CompletableFuture<String> arrived = new CompletableFuture<>();
    try (Connection connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel();
        DelayedPublisher pocketwatch =
            DelayedPublisher.builder(BROKER.connectionFactory()).build()) {
      String queue = "reader";
      channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
      channel.basicConsume(
          queue,
          true,
          (tag, delivery) -> {
            ReadmeSnippets.consumer().handle(tag, delivery);
            arrived.complete(String.valueOf(delivery.getEnvelope().getRoutingKey()));
          },
          tag -> {});
      var receipt =
          pocketwatch
              .publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300)))
              .get(10, TimeUnit.SECONDS);

      assertThat(receipt.outcome()).isEqualTo(PublishOutcome.CONFIRMED);
      assertThat(receipt.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
      assertThat(arrived.get(10, TimeUnit.SECONDS)).isEqualTo(queue);
    }
  }

  /** Thirty minutes are the position 30 of the minute hand, or the TTL queue of that delay. */
  private static int held() throws Exception {
    try (Connection connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      return channel.queueDeclarePassive("pocketwatch.wheel.quorum.1m.30").getMessageCount()
          + channel.queueDeclarePassive("pocketwatch.wheel.quorum.1m.29").getMessageCount();
    }
  }
}
