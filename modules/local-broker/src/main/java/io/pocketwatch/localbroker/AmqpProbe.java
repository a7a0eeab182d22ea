// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** One AMQP handshake: the only proof that a broker is up, and the source of its version. */
final class AmqpProbe {

  private static final int TIMEOUT_MILLIS = 5_000;

  private AmqpProbe() {}

  /**
   * With TLS ({@code amqps}) a broker has to prove its name by a certificate that this JVM trusts,
   * and is shown the JVM's own if it asks: the client would by itself trust whoever answers.
   */
  static ConnectionFactory factory(URI uri) {
    ConnectionFactory factory = new ConnectionFactory();
    boolean secure = "amqps".equalsIgnoreCase(uri.getScheme());
    try {
      if (uri.getScheme() == null) {
        throw new IllegalArgumentException("it has no scheme"); // the client would fail on it
      }
      factory.setUri(secure ? new URI("amqp" + uri.toString().substring("amqps".length())) : uri);
    } catch (IllegalArgumentException | URISyntaxException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          masked(uri) + " is not an AMQP address (amqp://user:password@host:port/vhost)", e);
    }
    if (secure) {
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
      throw new BrokerUnavailableException(
          "TLS is not possible with what javax.net.ssl.trustStore and javax.net.ssl.keyStore say: "
              + (cause == null ? e : cause),
          false);
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

  /** What goes wrong is in the exception too. */
  private static final class SilentHandler extends ForgivingExceptionHandler {
    @Override
    protected void log(String message, Throwable e) {}
  }

  /** The address without its password, fit for messages and logs. */
  static String masked(URI uri) {
    return uri.toString().replaceFirst("(//[^:/@]+):[^@]*@", "$1:***@");
  }
}
