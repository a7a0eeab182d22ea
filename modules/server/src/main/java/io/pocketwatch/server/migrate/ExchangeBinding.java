// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.Map;

/** A binding with the exchange at either end. */
record ExchangeBinding(
    String source,
    String destination,
    boolean toQueue,
    String routingKey,
    Map<String, Object> arguments) {

  /** Makes the binding; an existing one stays as it is. */
  void make(Channel channel) throws IOException {
    if (toQueue) {
      channel.queueBind(destination, source, routingKey, arguments);
    } else {
      channel.exchangeBind(destination, source, routingKey, arguments);
    }
  }

  String words() {
    return "%s -> %s %s, key '%s'%s"
        .formatted(
            source,
            toQueue ? "queue" : "exchange",
            destination,
            routingKey,
            arguments.isEmpty() ? "" : ", arguments " + arguments);
  }
}
