// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Topology;
import java.io.IOException;

/**
 * Tells whether the wheel was declared at all. It is declared when it is needed: if none of its
 * exchanges exists, that is fine; if some do, the others are missing.
 */
public final class WheelPresence {
  private WheelPresence() {}

  /**
   * @throws IOException if the broker cannot be asked
   */
  public static boolean absent(Connection connection, DelayRoutes routes, BrokerCapabilities facts)
      throws IOException {
    for (ExchangeSpec exchange : Topology.ofWheel(routes, facts).exchanges()) {
      if (isThere(connection, exchange.name())) {
        return false;
      }
    }
    return true;
  }

  /** Whether the queue is one of the wheel's. */
  public static boolean isOfWheel(Names names, String queue) {
    return names.holds(queue) == DelayStrategy.QUEUE_WHEEL;
  }

  /**
   * Whether there is an exchange of that name.
   *
   * @throws IOException if the broker cannot be asked
   */
  public static boolean isThere(Connection connection, String exchange) throws IOException {
    Channel channel = Channels.open(connection);
    try {
      channel.exchangeDeclarePassive(exchange);
      channel.abort();
      return true;
    } catch (IOException | ShutdownSignalException e) {
      if (!connection.isOpen()) {
        throw new IOException(e);
      }
      // Without a permission the broker does not tell; the exchange then counts as there.
      return !String.valueOf(e.getCause() == null ? e : e.getCause()).contains("NOT_FOUND");
    }
  }
}
