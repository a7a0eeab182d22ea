// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Channels for declaring, checking, deleting and consuming, on a connection that never publishes: a
 * broker under a memory alarm stops reading from connections that have, and {@code queue.declare}
 * would hang with them. Opened when needed, opened again when lost.
 */
final class AdminChannels implements AutoCloseable {
  private final Connections connections;
  private final Queue<Channel> idle = new ConcurrentLinkedQueue<>();
  private @Nullable Connection connection;
  private boolean closed;

  AdminChannels(Connections connections) {
    this.connections = connections;
  }

  /** Runs with a channel of its own. An error discards the channel: the broker has closed it. */
  <T> T call(Action<T> action) throws IOException, TimeoutException {
    Channel channel = take();
    T result;
    try {
      result = action.on(channel);
    } catch (IOException | RuntimeException e) {
      channel.abort();
      throw e;
    }
    idle.add(channel);
    return result;
  }

  private Channel take() throws IOException, TimeoutException {
    for (Channel channel = idle.poll(); channel != null; channel = idle.poll()) {
      if (channel.isOpen()) {
        return channel;
      }
    }
    Channel channel = connection().createChannel();
    if (channel == null) {
      throw new IOException("the connection allows no further channel (channel_max)");
    }
    return channel;
  }

  private synchronized Connection connection() throws IOException, TimeoutException {
    if (closed) {
      throw new IOException("the publisher is closed");
    }
    if (connection == null || !connection.isOpen()) {
      connection = connections.open("admin");
    }
    return connection;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      connection.abort(5_000);
    }
  }

  /** Something to do with a channel. */
  @FunctionalInterface
  interface Action<T> {
    T on(Channel channel) throws IOException;
  }
}
