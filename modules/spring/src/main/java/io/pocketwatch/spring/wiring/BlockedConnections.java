// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.amqp.event.AmqpEvent;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionBlockedEvent;
import org.springframework.amqp.rabbit.connection.ConnectionUnblockedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Spring's connections that a broker has blocked: templates publish on these, and not on the
 * publisher's own. Thread-safe.
 */
final class BlockedConnections implements ApplicationListener<AmqpEvent> {
  private final Map<Connection, String> blocked = new ConcurrentHashMap<>();

  @Override
  public void onApplicationEvent(AmqpEvent event) {
    if (event instanceof ConnectionBlockedEvent begun) {
      blocked.put(begun.getConnection(), begun.getReason());
    } else if (event instanceof ConnectionUnblockedEvent ended) {
      blocked.remove(ended.getConnection());
    }
  }

  /** One sentence for each blocked connection and its reason, without repetitions. */
  Collection<String> problems() {
    blocked.keySet().removeIf(connection -> !isOpen(connection)); // a closed one sends no event
    return blocked.entrySet().stream()
        .map(each -> problem(each.getKey(), each.getValue()))
        .distinct()
        .toList();
  }

  /** Spring's own {@code isOpen} throws while the client recovers a connection. */
  private static boolean isOpen(Connection connection) {
    com.rabbitmq.client.Connection real = connection.getDelegate();
    return real == null ? connection.isOpen() : real.isOpen();
  }

  private static String problem(Connection connection, String reason) {
    com.rabbitmq.client.Connection real = connection.getDelegate();
    return "the broker has blocked the application's publishers%s: %s"
        .formatted(real == null ? "" : " on " + real, reason);
  }
}
