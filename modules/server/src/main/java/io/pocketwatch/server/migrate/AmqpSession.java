// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** One connection, and a channel that is opened again after the broker has refused something. */
final class AmqpSession implements AutoCloseable {
  private static final int CLOSE_MILLIS = 5_000;

  private final ConnectionFactory factory;
  private final Connection connection;
  private Channel channel;

  AmqpSession(ConnectionFactory given) throws IOException, TimeoutException {
    this.factory = given.clone();
    factory.setAutomaticRecoveryEnabled(false); // half done is for the next run, not for a retry
    factory.setExceptionHandler(new Unmoved());
    this.connection = connect();
    this.channel = connection.createChannel();
  }

  /** Opens a further connection, which the caller closes. */
  Connection connect() throws IOException, TimeoutException {
    return factory.newConnection("pocketwatch migrate-exchange");
  }

  Channel channel() throws IOException {
    if (!channel.isOpen()) {
      channel = connection.createChannel();
    }
    return channel;
  }

  /** Whether the last failure was a refusal; else the connection is lost. */
  boolean channelRefused() {
    return connection.isOpen();
  }

  /** Makes the binding, or returns the broker's reason. A lost connection is an exception. */
  Optional<String> bind(ExchangeBinding binding) throws IOException {
    try {
      binding.make(channel());
      return Optional.empty();
    } catch (IOException | AlreadyClosedException e) {
      if (!channelRefused()) {
        throw e;
      }
      return Optional.of(ErrorWords.of(e));
    }
  }

  @Override
  public void close() {
    connection.abort(CLOSE_MILLIS);
  }

  /** Logs nothing: the command reports the broker's refusals. */
  private static final class Unmoved extends ForgivingExceptionHandler {
    @Override
    public void handleUnexpectedConnectionDriverException(
        Connection connection, Throwable exception) {}
  }
}
