// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;

/** Channels of a connection. */
public final class Channels {
  private Channels() {}

  /**
   * @throws IOException also if the connection has as many as it may have
   */
  public static Channel open(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection allows no further channel (channel_max)");
    }
    return channel;
  }
}
