// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;

/** How many messages are ready in a quorum queue. */
public final class MessageCount {
  private MessageCount() {}

  /**
   * Whether there are any. A queue whose leader is unknown, or has not answered within 250 ms,
   * reports zero too ({@code rabbit_quorum_queue:stat}). So a queue that reports zero is asked for
   * a message, which goes back.
   */
  public static boolean isPositive(Channel channel, String queue) throws IOException {
    if (channel.queueDeclarePassive(queue).getMessageCount() > 0) {
      return true;
    }
    GetResponse message = channel.basicGet(queue, false);
    if (message == null) {
      return false;
    }
    channel.basicNack(message.getEnvelope().getDeliveryTag(), false, true);
    return true;
  }
}
