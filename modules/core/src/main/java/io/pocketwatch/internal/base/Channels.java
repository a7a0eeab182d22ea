// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Short tasks on connections and channels. */
public final class Channels {
  private static final int CLOSE_MILLIS = 5_000;

  private Channels() {}

  /** A task on a connection. */
  @FunctionalInterface
  public interface Work<T> {
    T over(Connection connection) throws IOException, TimeoutException, InterruptedException;
  }

  /**
   * Runs the task, and closes the connection.
   *
   * @throws IOException also if the connection or a channel is lost meanwhile, or the thread is
   *     interrupted
   */
  public static <T> T use(Connection connection, Work<T> work)
      throws IOException, TimeoutException {
    try {
      return work.over(connection);
    } catch (ShutdownSignalException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  /**
   * @throws IOException also if the connection has reached its limit of channels
   */
  public static Channel open(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection allows no further channel (channel_max)");
    }
    return channel;
  }

  /** Closes a channel that may be closed already. */
  public static void abort(Channel channel) {
    try {
      channel.abort();
    } catch (IOException | RuntimeException e) {
      // the channel is closed already
    }
  }
}
