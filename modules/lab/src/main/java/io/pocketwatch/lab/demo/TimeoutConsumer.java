// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedDelivery;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** Takes orders that have timed out from the shop's queue, and writes them into the ledger. */
final class TimeoutConsumer {
  private static final int PREFETCH = 500;

  private final Channel channel;
  private final Ledger ledger;

  private TimeoutConsumer(Channel channel, Ledger ledger) {
    this.channel = channel;
    this.ledger = ledger;
  }

  static void start(Channel channel, Ledger ledger) throws IOException {
    TimeoutConsumer consumer = new TimeoutConsumer(channel, ledger);
    channel.basicQos(PREFETCH);
    channel.basicConsume(
        DemoNames.QUEUE, false, (tag, delivery) -> consumer.take(delivery), tag -> {});
  }

  private void take(Delivery delivery) throws IOException {
    Instant arrival = Instant.now();
    Optional<DelayedDelivery> delayed = DelayedDelivery.of(delivery);
    if (delayed.isPresent()) {
      ledger.arrived(delayed.get(), arrival);
    } else {
      ledger.stranger();
    }
    channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
  }
}
