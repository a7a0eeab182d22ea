// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that can be ended even while a write is stuck in it.
 *
 * @param socket what it runs on, or null if the client runs it on NIO, where no write blocks
 */
record PublishConnection(Connection connection, @Nullable Socket socket) {
  private static final Logger LOG = LoggerFactory.getLogger(PublishConnection.class);

  /**
   * Pulls the plug. {@link Connection#abort()} would want to say goodbye first, and wait for its
   * turn to write behind the write that is stuck.
   */
  void tearDown() {
    if (socket == null) {
      connection.abort(1_000);
      return;
    }
    try {
      socket.setSoLinger(true, 0); // TLS too would first want to write
      socket.close();
    } catch (IOException e) {
      LOG.debug("Closing the socket of a stuck connection", e);
    }
  }
}
