// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/Delay.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A message through an exchange of your own, three seconds late, and how late it was. */
public class Delay {
  public static void main(String[] args) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    CountDownLatch arrived = new CountDownLatch(1);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        DelayedPublisher pocketwatch = DelayedPublisher.builder(factory).build()) {
      channel.exchangeDeclare("example.shop", "topic", true);
      channel.queueDeclare("example.delay", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueBind("example.delay", "example.shop", "order.*");
      channel.basicConsume(
          "example.delay",
          true,
          (tag, delivery) -> {
            DelayedDelivery delayed = DelayedDelivery.of(delivery).orElseThrow();
            System.out.println("late by " + delayed.lateness(Instant.now()).toMillis() + " ms");
            arrived.countDown();
          },
          tag -> {});
      var message = DelayedMessage.to("example.shop", "order.timeout").body("order 4711");
      System.out.println(pocketwatch.publish(message.delay(Duration.ofSeconds(3))).join());
      arrived.await();
    }
  }
}
