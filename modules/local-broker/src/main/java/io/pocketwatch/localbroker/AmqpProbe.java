// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/** One AMQP handshake: the only proof that a broker is up, and the source of its version. */
final class AmqpProbe {

  private static final int TIMEOUT_MILLIS = 5_000;

  private AmqpProbe() {}

  /** With TLS ({@code amqps}) this JVM has to trust the broker's certificate. */
  static ConnectionFactory factory(URI uri) {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      if (uri.getScheme() == null) {
        throw new IllegalArgumentException("it has no scheme"); // the client would fail on it
      }
      factory.setUri(uri);
      if (factory.isSSL()) { // the client would trust any certificate
        factory.useSslProtocol(SSLContext.getDefault());
        factory.enableHostnameVerification();
      }
      return factory;
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          masked(uri) + " is not an AMQP address (amqp://user:password@host:port/vhost)", e);
    }
  }

  /** The version of the broker at this address, or the reason why none answers. */
  static String version(URI uri) throws IOException {
    ConnectionFactory factory = factory(uri);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(TIMEOUT_MILLIS);
    factory.setHandshakeTimeout(TIMEOUT_MILLIS);
    factory.setExceptionHandler(new SilentHandler());
    try (Connection connection = factory.newConnection("pocketwatch-probe")) {
      return String.valueOf(connection.getServerProperties().get("version"));
    } catch (TimeoutException e) {
      throw new IOException("no AMQP handshake within " + TIMEOUT_MILLIS + " ms", e);
    }
  }

  static boolean answers(URI uri) {
    try {
      version(uri);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Errors are in the exception, too. */
  private static final class SilentHandler extends ForgivingExceptionHandler {
    @Override
    protected void log(String message, Throwable e) {}
  }

  /** The address without its password, fit for messages and logs. */
  static String masked(URI uri) {
    return uri.toString().replaceFirst("(//[^:/@]+):[^@]*@", "$1:***@");
  }
}
