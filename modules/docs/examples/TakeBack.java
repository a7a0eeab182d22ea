// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/TakeBack.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import java.time.Duration;
import java.util.Map;

/** A message that is taken back while the broker holds it, without a database. */
public class TakeBack {
  public static void main(String[] args) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        DelayedPublisher pocketwatch = DelayedPublisher.builder(factory).build()) {
      channel.queueDeclare("example.taken", true, false, false, Map.of("x-queue-type", "quorum"));
      PublishReceipt receipt =
          pocketwatch
              .publish(
                  DelayedMessage.toQueue("example.taken")
                      .body("Your order is cancelled")
                      .delay(Duration.ofMinutes(30))
                      .strategy(DelayStrategy.TEMPORARY_QUEUE))
              .join();
      System.out.println(receipt.outcome() + ", due at " + receipt.deliverAt());
      System.out.println("paid: " + pocketwatch.cancel(receipt).join());
    }
  }
}
