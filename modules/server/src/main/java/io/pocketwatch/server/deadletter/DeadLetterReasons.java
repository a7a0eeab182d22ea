// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.broker.WheelPresence;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds out why messages found no target. The broker writes nothing into them, so each target is
 * asked for now.
 */
final class DeadLetterReasons {
  private final Connection connection;
  private final Names names;
  private final PassiveDeclares queues;
  private final Map<String, Boolean> there = new HashMap<>();

  DeadLetterReasons(Connection connection, Names names) {
    this.connection = connection;
    this.names = names;
    this.queues = new PassiveDeclares(connection);
  }

  /** The reason why a message was returned. */
  static String unrouted(String exchange, String key) {
    return exchange.isEmpty()
        ? "there is no queue '%s'".formatted(key)
        : "no queue is bound to exchange '%s' for routing key '%s'".formatted(exchange, key);
  }

  String of(GetResponse message) throws IOException {
    ResendTarget target = ResendTarget.of(message, names, Instant.now());
    return target.obstacle() != null
        ? target.obstacle()
        : target.exchange().isEmpty()
            ? queue(target.routingKey())
            : exchange(target.exchange(), target.routingKey());
  }

  private String queue(String name) throws IOException {
    String asked = "queue " + name;
    if (!there.containsKey(asked)) {
      there.put(asked, !queues.ask(name).isAbsent());
    }
    return there.get(asked)
        ? "there was no queue '%s' when it came due; there is now".formatted(name)
        : unrouted("", name);
  }

  private String exchange(String name, String key) throws IOException {
    String asked = "exchange " + name;
    if (!there.containsKey(asked)) {
      there.put(asked, WheelPresence.isThere(connection, name));
    }
    return there.get(asked)
        ? "no queue was bound to exchange '%s' for routing key '%s' when it came due"
            .formatted(name, key)
        : "there is no exchange '%s'".formatted(name);
  }
}
