// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * Whether the broker has the delayed-message plugin. Asked before the routes are made: a route that
 * asks for it in vain is worth a warning elsewhere, here it is nobody's mistake.
 */
final class PluginProbe {
  private static final int CLOSE_MILLIS = 5_000;

  private PluginProbe() {}

  static boolean ask(ConnectionFactory factory) throws IOException, TimeoutException {
    // A connection of its own: brokers before 4.0 close it on an unknown exchange type.
    ConnectionFactory once = factory.clone();
    once.setAutomaticRecoveryEnabled(false);
    once.setExceptionHandler(new UnmovedByClosing());
    Connection connection = once.newConnection("pocketwatch demo probe");
    String exchange = DemoNames.PREFIX + ".probe";
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(
          exchange, "x-delayed-message", false, false, Map.of("x-delayed-type", "fanout"));
      channel.exchangeDelete(exchange);
      return true;
    } catch (IOException | AlreadyClosedException e) {
      return false; // a broker that is gone shows in the next step
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  /** The refusal we ask for is not worth a warning in the log. */
  private static final class UnmovedByClosing extends ForgivingExceptionHandler {
    @Override
    public void handleUnexpectedConnectionDriverException(
        Connection connection, Throwable exception) {}
  }
}
