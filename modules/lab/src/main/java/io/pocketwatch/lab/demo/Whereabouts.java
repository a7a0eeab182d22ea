// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.lab.broker.BrokerChoice;
import io.pocketwatch.localbroker.BrokerSource;
import java.util.List;

/** Where to watch a demo from outside. */
final class Whereabouts {
  private Whereabouts() {}

  static List<String> of(BrokerChoice choice) {
    return List.of(
        page(choice),
        "held     %s.ttl.*, .wheel.*, .temporary.*".formatted(DemoNames.PREFIX),
        "arrived  " + DemoNames.QUEUE);
  }

  private static String page(BrokerChoice choice) {
    if (choice.source() == BrokerSource.ADDRESS) {
      return "RabbitMQ's management page, usually on port 15672, tab Queues:";
    }
    return choice
        .broker()
        .management()
        .map(
            page ->
                "http://%s:%s/#/queues  user guest, password guest"
                    .formatted(page.getHost(), page.getPort()))
        .orElse("It has no management page; rabbitmqctl list_queues shows:");
  }
}
