// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.Channels;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Channels for declaring, checking, deleting and consuming, on a connection that never publishes. A
 * broker under a memory alarm stops reading from connections that have published, and {@code
 * queue.declare} would hang with them. Channels are opened on need, and reopened when lost.
 */
public final class AdminChannels implements AutoCloseable {
  private static final int CLOSE_MS = 5_000;

  private final Connections connections;
  private final Queue<Channel> idle = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Connection connection;
  private volatile boolean closed;

  public AdminChannels(Connections connections) {
    this.connections = connections;
  }

  /** Runs with a channel of its own. An error discards the channel: the broker has closed it. */
  public <T> T call(Action<T> action) throws IOException, TimeoutException {
    return call(
        this::take,
        channel -> {
          T result = action.on(channel);
          idle.add(channel);
          return result;
        });
  }

  /**
   * Whether a quorum queue has messages that are ready. It also reports zero if its leader is
   * unknown, or has not answered within 250 ms ({@code rabbit_quorum_queue:stat}). So a queue that
   * reports zero is asked for a message, which is requeued.
   */
  public boolean holdsMessage(String queue) throws IOException, TimeoutException {
    return call(
        channel -> {
          if (channel.queueDeclarePassive(queue).getMessageCount() > 0) {
            return true;
          }
          GetResponse message = channel.basicGet(queue, false);
          if (message != null) {
            channel.basicNack(message.getEnvelope().getDeliveryTag(), false, true);
          }
          return message != null;
        });
  }

  /** Runs with a new channel for a consumer, which the action keeps and must abort some day. */
  public <T> T callKeeping(Action<T> action) throws IOException, TimeoutException {
    return call(() -> Channels.open(connection()), action);
  }

  private static <T> T call(Opening opening, Action<T> action)
      throws IOException, TimeoutException {
    try {
      Channel channel = opening.open();
      try {
        return action.on(channel);
      } catch (IOException | RuntimeException | Error e) {
        channel.abort();
        throw e;
      }
    } catch (ShutdownSignalException e) {
      // The connection was lost between taking the channel and using it: handle it as any lost
      // connection.
      throw new IOException(e);
    }
  }

  private Channel take() throws IOException, TimeoutException {
    for (Channel channel = idle.poll(); channel != null; channel = idle.poll()) {
      if (channel.isOpen()) {
        return channel;
      }
    }
    return Channels.open(connection());
  }

  private Connection connection() throws IOException, TimeoutException {
    Connection current = connection;
    return current != null && current.isOpen() ? current : reconnect();
  }

  private synchronized Connection reconnect() throws IOException, TimeoutException {
    Connection current = connection;
    if (current == null || !current.isOpen()) {
      requireOpen();
      current = connections.open("admin");
      connection = current;
    }
    if (closed) { // by a close() that ran meanwhile
      current.abort(CLOSE_MS);
    }
    requireOpen();
    return current;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the publisher is closed");
    }
  }

  @Override
  public void close() {
    closed = true;
    Connection current = connection;
    if (current != null) {
      current.abort(CLOSE_MS);
    }
  }

  @FunctionalInterface
  private interface Opening {
    Channel open() throws IOException, TimeoutException;
  }

  /** A task on a channel. */
  @FunctionalInterface
  public interface Action<T> {
    T on(Channel channel) throws IOException;
  }
}
