// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.internal.base.Channels;
import java.io.IOException;
import java.util.Map;

/**
 * Sees to it that queues are there.
 *
 * @param declare whether they may be made
 */
record CallbackQueues(Connection connection, boolean declare) {
  /** A message that comes again and again must not be dropped for it. */
  private static final Map<String, Object> ARGUMENTS =
      Map.of("x-queue-type", "quorum", "x-delivery-limit", 1_000_000_000L);

  /**
   * One that is there with other arguments is as good.
   *
   * @throws IOException if there is none
   */
  void require(String queue) throws IOException {
    try {
      Channel channel = Channels.open(connection);
      channel.queueDeclarePassive(queue);
      abort(channel);
      return;
    } catch (IOException e) {
      if (!declare || !connection.isOpen()) {
        throw e;
      }
    }
    Channel channel = Channels.open(connection);
    channel.queueDeclare(queue, true, false, false, ARGUMENTS);
    abort(channel);
  }

  /** Closes it, whatever has become of it. */
  static void abort(Channel channel) {
    try {
      channel.abort();
    } catch (IOException | RuntimeException e) {
      // it is closed
    }
  }
}
