// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardedDelivery;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/** Where what is due arrives: a queue for each route, and the guarded consumer of it. */
final class Desks {
  private static final String NOBODY = "no customer by that number; ask the shop, then retry it";

  private final TrafficCounts counts;

  Desks(TrafficCounts counts) {
    this.counts = counts;
  }

  /** Declares the targets. */
  static void declare(Connection connection, Collection<ShopTarget> targets) throws IOException {
    Channel channel = connection.createChannel();
    for (ShopTarget target : targets) {
      channel.queueDeclare(target.queue(), true, false, false, Map.of("x-queue-type", "quorum"));
      if (!target.exchange().isEmpty()) {
        channel.exchangeDeclare(target.exchange(), "topic", true);
        channel.queueBind(target.queue(), target.exchange(), target.routingKey());
      }
    }
    channel.abort();
  }

  /** Begins to handle what arrives. */
  void open(Connection connection, DeliveryGuard guard, Collection<ShopTarget> targets)
      throws IOException {
    for (ShopTarget target : targets) {
      guard.consume(connection.createChannel(), target.queue(), this::handle);
    }
  }

  private void handle(GuardedDelivery delivery) {
    if (delivery.handling().isPresent() && Letter.forNobody(delivery.body())) {
      delivery.park(
          NOBODY,
          recorded -> {
            if (recorded) {
              counts.parked();
            }
          });
    } else {
      counts.handled();
    }
  }
}
