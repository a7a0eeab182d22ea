// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import java.util.List;

/** Where to watch a demo from outside. */
final class Whereabouts {
  private Whereabouts() {}

  static List<String> of(BrokerNode node) {
    return List.of(
        page(node),
        "held     %s.ttl.*, .wheel.*, .temporary.*".formatted(DemoNames.PREFIX),
        "arrived  " + DemoNames.QUEUE);
  }

  private static String page(BrokerNode node) {
    if (node.source() == BrokerSource.ADDRESS) {
      return "RabbitMQ's management page, usually on port 15672, tab Queues:";
    }
    return node.managementUri()
        .map(
            page ->
                "http://%s:%d/#/queues  user guest, password guest"
                    .formatted(page.getHost(), page.getPort()))
        .orElse("It has no management page; rabbitmqctl list_queues shows:");
  }
}
