// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/RetryWithBackOff.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A consumer that fails gets the message again after 1 s and then 2 s; no database. */
public class RetryWithBackOff {
  public static void main(String[] args) throws Exception {
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: { routes: { jobs: { routing-key: example.jobs, retries: [1s, 2s] } } }",
            "RetryWithBackOff.java");
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    CountDownLatch done = new CountDownLatch(1);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        DelayedPublisher pocketwatch = DelayedPublisher.builder(factory).routes(routes).build();
        DeliveryGuard guard = DeliveryGuard.of(pocketwatch, GuardOptions.defaults())) {
      channel.queueDeclare("example.jobs", true, false, false, Map.of("x-queue-type", "quorum"));
      guard.consume(
          channel,
          "example.jobs",
          delivery -> {
            System.out.println("attempt " + delivery.attempt());
            if (delivery.attempt() < 3) {
              throw new IllegalStateException("the mail server is busy");
            }
            done.countDown();
          });
      channel.basicPublish("", "example.jobs", null, "a job".getBytes(StandardCharsets.UTF_8));
      done.await();
    }
  }
}
