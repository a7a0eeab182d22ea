// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** One AMQP handshake: the only proof that a broker is up, and the source of its version. */
final class Handshake {
  private static final int TIMEOUT_MILLIS = 5_000;

  private Handshake() {}

  /**
   * With TLS ({@code amqps}) a broker has to prove its name by a certificate that this JVM trusts.
   * It is shown the JVM's own certificate if it asks. The client alone would trust any broker.
   *
   * @throws CommandFailedException if the JVM's trusted certificates cannot be read
   */
  static ConnectionFactory factory(URI uri) {
    ConnectionFactory factory = BrokerAddresses.factory(uri);
    factory.setExceptionHandler(new BrokenConnections());
    if (BrokerAddresses.secure(uri)) {
      factory.useSslProtocol(trustOfThisJvm());
      factory.enableHostnameVerification();
    }
    return factory;
  }

  private static SSLContext trustOfThisJvm() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      @Nullable Throwable cause = e.getCause();
      throw new CommandFailedException(
          ExitCodes.NO_BROKER,
          "TLS is not possible with what javax.net.ssl.trustStore and javax.net.ssl.keyStore say: "
              + (cause == null ? e : cause),
          e);
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

  /** Logs nothing: the user of the connection gets the error, and reports it once. */
  private static final class BrokenConnections extends ForgivingExceptionHandler {
    @Override
    public void handleUnexpectedConnectionDriverException(Connection connection, Throwable e) {}
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
