// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

public class Quickstart {
  public static void main(String[] args) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    CountDownLatch arrived = new CountDownLatch(1);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        DelayedPublisher pocketwatch = DelayedPublisher.builder(factory).build()) {
      channel.queueDeclare("reminders", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.basicConsume(
          "reminders",
          true,
          (tag, delivery) -> {
            String text = new String(delivery.getBody(), StandardCharsets.UTF_8);
            System.out.println(Instant.now() + " arrived: " + text);
            arrived.countDown();
          },
          tag -> {});

      PublishReceipt receipt =
          pocketwatch
              .publish(
                  DelayedMessage.toQueue("reminders")
                      .body("Drink some tea")
                      .delay(Duration.ofSeconds(5)))
              .join();
      System.out.println(
          Instant.now() + " " + receipt.outcome() + ", due at " + receipt.deliverAt());
      arrived.await();
    }
  }
}
