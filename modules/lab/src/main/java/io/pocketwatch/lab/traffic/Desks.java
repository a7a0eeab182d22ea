// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where what is due arrives: a queue for each route, and the guarded consumer of it. */
final class Desks {
  private static final String NOBODY = "no customer by that number; ask the shop, then release it";

  private final SettlingStore store;
  private final TrafficCounts counts;

  Desks(SettlingStore store, TrafficCounts counts) {
    this.store = store;
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
    Optional<Handling> handling = delivery.handling();
    if (handling.isPresent()
        && Letter.forNobody(delivery.body())
        && store.end(List.of(Ending.park(handling.get(), NOBODY))).contains(Ended.APPLIED)) {
      delivery.settledInTransaction(); // its row has its end
      counts.parked();
    } else {
      counts.handled();
    }
  }
}
