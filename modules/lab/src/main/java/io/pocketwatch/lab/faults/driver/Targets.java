// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.lab.faults.account.Lane;
import io.pocketwatch.lab.faults.catalogue.World;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** The exchange and queues the messages of a run arrive at, which belong to the application. */
final class Targets {
  private Targets() {}

  /** Declares what is missing. Classic queues come to the second node, if there is one. */
  static void declare(List<BrokerNode> nodes) throws IOException, TimeoutException {
    on(nodes.get(0), channel -> declare(channel, Lane.Target.QUORUM));
    on(nodes.get(nodes.size() > 1 ? 1 : 0), channel -> declare(channel, Lane.Target.CLASSIC));
  }

  private static void declare(Channel channel, Lane.Target target) throws IOException {
    channel.exchangeDeclare(Lane.EXCHANGE, "direct", true);
    declareDead(channel);
    for (Lane lane : Lane.ALL) {
      if (lane.target() == target) {
        Map<String, Object> arguments = new HashMap<>();
        arguments.put("x-queue-type", target.name().toLowerCase(Locale.ROOT));
        arguments.put("x-dead-letter-exchange", "");
        arguments.put("x-dead-letter-routing-key", Lane.DEAD);
        channel.queueDeclare(lane.queue(), true, false, false, arguments);
        channel.queueBind(lane.queue(), Lane.EXCHANGE, lane.name());
      }
    }
  }

  private static void declareDead(Channel channel) throws IOException {
    channel.queueDeclare(Lane.DEAD, true, false, false, Map.of("x-queue-type", "quorum"));
  }

  /** Whether each has a consumer. */
  static boolean allConsumed(BrokerNode node) throws IOException, TimeoutException {
    boolean[] all = {true};
    on(
        node,
        channel -> {
          for (Lane lane : Lane.ALL) {
            all[0] &= channel.consumerCount(lane.queue()) > 0;
          }
        });
    return all[0];
  }

  /** Copies that a target queue gave up, since the last time this was asked. */
  static int takeDeadLettered(BrokerNode node) throws IOException, TimeoutException {
    int[] count = {0};
    on(
        node,
        channel -> {
          declareDead(channel);
          count[0] = channel.queuePurge(Lane.DEAD).getMessageCount();
        });
    return count[0];
  }

  static void on(BrokerNode node, World.Task task) throws IOException, TimeoutException {
    ConnectionFactory factory = node.connectionFactory();
    factory.setAutomaticRecoveryEnabled(false);
    try (Connection connection = factory.newConnection("faults operator");
        Channel channel = connection.createChannel()) {
      task.on(channel);
    }
  }
}
