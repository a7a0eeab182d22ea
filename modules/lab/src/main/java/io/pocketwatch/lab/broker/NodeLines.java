// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.DetachedBroker;
import java.util.ArrayList;
import java.util.List;

/** Where to find the private broker. */
final class NodeLines {
  private NodeLines() {}

  static List<String> of(BrokerNode node) {
    List<String> lines = new ArrayList<>();
    lines.add("RabbitMQ    " + node.version() + ", running (" + node.source().label() + ")");
    lines.add("AMQP        " + node.amqpUri());
    // A private node on loopback with the stock user: nothing to hide.
    node.managementUri().ifPresent(page -> lines.add("Management  " + page));
    lines.add("Folder      " + DetachedBroker.ofUser().folder());
    return lines;
  }
}
