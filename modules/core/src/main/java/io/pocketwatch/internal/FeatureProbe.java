// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** Finds out by trying what the broker's version does not tell. */
final class FeatureProbe {
  private FeatureProbe() {}

  /**
   * Whether the broker has the exchange type {@code x-delayed-message}. Uses a connection of its
   * own: brokers before 4.0 close the whole connection on an unknown type.
   */
  static boolean delayedExchange(Connections connections, String exchange)
      throws IOException, TimeoutException {
    Connection connection = connections.open("probe");
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(
          exchange, "x-delayed-message", true, false, Map.of("x-delayed-type", "fanout"));
      return true;
    } catch (IOException | AlreadyClosedException e) {
      if (BrokerError.code(e) == 0) {
        throw e; // no answer is not a no
      }
      return false;
    } finally {
      connection.abort(5_000);
    }
  }
}
