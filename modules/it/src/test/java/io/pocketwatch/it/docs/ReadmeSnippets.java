// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DeliverCallback;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Java of README.md and of the manual, compiled here and run by {@link ReadmeIT}; compared by
 * ReadmeTest.
 */
final class ReadmeSnippets {
  private static final Logger LOG = LoggerFactory.getLogger(ReadmeSnippets.class);

  private ReadmeSnippets() {}

  static void firstMessage(ConnectionFactory connectionFactory) {
    try (DelayedPublisher pocketwatch = DelayedPublisher.builder(connectionFactory).build()) {
      CompletableFuture<PublishReceipt> receipt =
          pocketwatch.publish(
              DelayedMessage.to("orders", "order.timeout")
                  .body("{\"order\": 4711}")
                  .delay(Duration.ofMinutes(30)));
      receipt.join(); // outcome=CONFIRMED strategy=QUEUE_WHEEL deliverAt=…
    }
  }

  static ChangeOutcome using(
      ConnectionFactory connectionFactory, Path configFile, Instant tomorrowAtNine) {
    DelayRoutes routes = DelayRoutes.load(configFile); // config/pocketwatch.yml
    DelayedPublisher pocketwatch =
        DelayedPublisher.builder(connectionFactory).routes(routes).build();

    pocketwatch.publish(DelayedMessage.to("orders", "order.timeout").delay(Duration.ofMinutes(30)));
    pocketwatch.publish(DelayedMessage.toQueue("invoice-mail").deliverAt(tomorrowAtNine));

    // A message that can be taken back while it is held, without a store:
    PublishReceipt receipt =
        pocketwatch
            .publish(
                DelayedMessage.to("orders", "order.timeout")
                    .delay(Duration.ofMinutes(30))
                    .strategy(DelayStrategy.TEMPORARY_QUEUE))
            .join();
    ChangeOutcome paidInTime = pocketwatch.cancel(receipt).join(); // DONE, TOO_LATE, UNKNOWN…
    pocketwatch.close();
    return paidInTime;
  }

  static DeliverCallback consumer() {
    DeliverCallback onTimeout =
        (tag, delivery) ->
            DelayedDelivery.of(delivery)
                .ifPresent(
                    delayed -> {
                      Duration lateness = delayed.lateness(Instant.now());
                      BasicProperties clean = delayed.withoutDeadLetterHeaders("pocketwatch");
                      LOG.info(
                          "{} held by {}, late by {}", delayed.id(), delayed.strategy(), lateness);
                    });
    return onTimeout;
  }
}
