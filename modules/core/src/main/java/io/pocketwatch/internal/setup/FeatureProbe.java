// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.TopologyException;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.topology.ExchangeSpec;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Finds out by trying which features a broker has, where its version does not tell. */
final class FeatureProbe {
  private FeatureProbe() {}

  /**
   * Whether the broker has this type of exchange, switched on. Asks on a connection of its own:
   * brokers before 4.0 close the whole of it on an unknown type.
   *
   * @param declare whether the exchange may be declared to find out; otherwise it must exist
   */
  static boolean has(Connections connections, ExchangeSpec exchange, boolean declare)
      throws IOException, TimeoutException {
    Connection connection = connections.openQuietly("probe");
    try (Channel channel = connection.createChannel()) {
      if (declare) {
        TopologyKeeper.declare(channel, exchange);
      } else {
        channel.exchangeDeclarePassive(exchange.name());
      }
      return true;
    } catch (IOException | AlreadyClosedException e) {
      boolean unknown =
          declare
              ? ErrorWords.of(e).contains("exchange type")
                  || ErrorWords.of(e).contains(exchange.type() + " exchange")
              : BrokerError.code(e) == BrokerError.NOT_FOUND;
      if (unknown) {
        return false;
      }
      if (BrokerError.refused(e)) { // for a missing permission, or other arguments
        throw new TopologyException(
            "RabbitMQ refused exchange '%s': %s".formatted(exchange.name(), ErrorWords.of(e)), e);
      }
      throw e; // the broker gave no answer
    } finally {
      connection.abort(5_000);
    }
  }
}
