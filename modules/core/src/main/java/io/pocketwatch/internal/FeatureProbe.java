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
   *
   * @param declare whether the exchange may be declared to find out; otherwise it must be there
   */
  static boolean delayedExchange(Connections connections, String exchange, boolean declare)
      throws IOException, TimeoutException {
    Connection connection = connections.openQuietly("probe");
    try (Channel channel = connection.createChannel()) {
      if (declare) {
        channel.exchangeDeclare(
            exchange, "x-delayed-message", true, false, Map.of("x-delayed-type", "fanout"));
      } else {
        channel.exchangeDeclarePassive(exchange);
      }
      return true;
    } catch (IOException | AlreadyClosedException e) {
      boolean unknown =
          declare
              ? BrokerError.text(e).contains("exchange type")
              : BrokerError.code(e) == BrokerError.NOT_FOUND;
      if (unknown) {
        return false;
      }
      throw e; // no answer, no permission or other arguments are not a no
    } finally {
      connection.abort(5_000);
    }
  }
}
