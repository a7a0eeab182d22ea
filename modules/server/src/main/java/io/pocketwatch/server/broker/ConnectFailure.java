// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains why an attempt to connect failed, and what to do about it. */
final class ConnectFailure {
  private static final String START = "\nStart that broker, or name another.";

  private ConnectFailure() {}

  static String words(IOException failure, URI address) {
    if (caused(failure, AuthenticationFailureException.class).isPresent()
        || caused(failure, PossibleAuthenticationFailureException.class).isPresent()) {
      return "the broker there refuses the user '%s' or its password\nCorrect the address."
          .formatted(BrokerAddresses.factory(address).getUsername());
    }
    String refusal = refusal(failure);
    if (refusal != null) {
      return "the broker there refuses the connection: %s\nCorrect the address, or what that broker allows."
          .formatted(refusal);
    }
    if (caused(failure, UnknownHostException.class).isPresent()) {
      return "no host has the name '%s'\nCorrect the address.".formatted(address.getHost());
    }
    if (caused(failure, ConnectException.class).isPresent()) {
      return "no broker answers there: " + ErrorWords.of(failure) + START;
    }
    if (caused(failure, SSLException.class).isPresent()) {
      return "there is no TLS with what answers: "
          + ErrorWords.of(failure)
          + "\nCorrect the address, or the JVM's trust store.";
    }
    if (caused(failure, MalformedFrameException.class).isPresent()
        || caused(failure, EOFException.class).isPresent()
        || caused(failure, SocketException.class).isPresent()) {
      return "what answers there does not speak AMQP 0-9-1: %s\nCorrect the port: 5672 is usual, and 5671 with amqps."
          .formatted(ErrorWords.of(failure));
    }
    return "no broker answers there: " + ErrorWords.of(failure) + START;
  }

  /** Why the broker closed an authenticated connection: such as an unknown vhost. */
  private static @Nullable String refusal(IOException failure) {
    return caused(failure, ShutdownSignalException.class)
        .map(ShutdownSignalException::getReason)
        .map(reason -> reason instanceof AMQP.Connection.Close close ? close.getReplyText() : null)
        .orElse(null);
  }

  private static <T> Optional<T> caused(Throwable failure, Class<T> type) {
    return chain(failure).filter(type::isInstance).map(type::cast).findFirst();
  }

  private static Stream<Throwable> chain(Throwable failure) {
    return Stream.iterate(failure, each -> each != null, Throwable::getCause);
  }
}
