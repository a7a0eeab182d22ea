// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;

/** One AMQP handshake: the only proof that a broker is up, and the source of its version. */
final class AmqpProbe {

  private static final int TIMEOUT_MILLIS = 5_000;

  private AmqpProbe() {}

  static ConnectionFactory factory(URI uri) {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(uri);
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          masked(uri) + " is not an AMQP address (amqp://user:password@host:port/vhost)", e);
    }
    return factory;
  }

  /** The version of the broker at this address, or the reason why none answers. */
  static String version(URI uri) throws IOException {
    ConnectionFactory factory = factory(uri);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(TIMEOUT_MILLIS);
    factory.setHandshakeTimeout(TIMEOUT_MILLIS);
    try (Connection connection = factory.newConnection("pocketwatch-probe")) {
      return String.valueOf(connection.getServerProperties().get("version"));
    } catch (TimeoutException e) {
      throw new IOException("no AMQP handshake within " + TIMEOUT_MILLIS + " ms", e);
    }
  }

  /** The address without its password, fit for messages and logs. */
  static String masked(URI uri) {
    return uri.toString().replaceFirst("(//[^:/@]+):[^@]*@", "$1:***@");
  }
}
