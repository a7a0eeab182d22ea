// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** The exchange and queues the messages of a round arrive at. */
final class Ground {
  private Ground() {}

  static void declare(BrokerNode node) throws IOException, TimeoutException {
    try (Connection connection = node.connectionFactory().newConnection("faults");
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(LedgerRoute.EXCHANGE, "direct", true);
      channel.queueDeclare(LedgerRoute.DEAD, true, false, false, quorum());
      for (LedgerRoute route : LedgerRoute.values()) {
        Map<String, Object> arguments = quorum();
        arguments.put("x-dead-letter-exchange", "");
        arguments.put("x-dead-letter-routing-key", LedgerRoute.DEAD);
        channel.queueDeclare(route.queue(), true, false, false, arguments);
        channel.queueBind(route.queue(), LedgerRoute.EXCHANGE, route.key());
      }
    }
  }

  private static Map<String, Object> quorum() {
    return new HashMap<>(Map.of("x-queue-type", "quorum"));
  }

  /** Copies that a queue gave up. */
  static int deadLettered(BrokerNode node) throws IOException, TimeoutException {
    try (Connection connection = node.connectionFactory().newConnection("faults");
        Channel channel = connection.createChannel()) {
      return (int) channel.messageCount(LedgerRoute.DEAD);
    }
  }
}
