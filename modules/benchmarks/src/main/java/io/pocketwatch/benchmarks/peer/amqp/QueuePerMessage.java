// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import io.pocketwatch.benchmarks.subject.TargetQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A queue for each message, which expires some time after its message has. */
final class QueuePerMessage implements Detour {
  private static final int DECLARING_CHANNELS = 4;

  /** A queue that is gone takes along what it has not passed on yet. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private final String queueType;
  private final BlockingQueue<Channel> free = new LinkedBlockingQueue<>();

  private QueuePerMessage(String queueType) {
    this.queueType = queueType;
  }

  /** Goes on to declare queues on this connection. */
  static Detour on(String queueType, Connection connection) throws IOException {
    QueuePerMessage detour = new QueuePerMessage(queueType);
    for (int i = 0; i < DECLARING_CHANNELS; i++) {
      detour.free.add(connection.createChannel());
    }
    return detour;
  }

  @Override
  public void publish(ConfirmedChannels channels, byte[] payload, long delayMillis)
      throws IOException, InterruptedException {
    String queue = "one-" + UUID.randomUUID();
    Map<String, Object> arguments = Detour.expiringTo(queueType, TargetQueue.EXCHANGE);
    arguments.put("x-dead-letter-routing-key", TargetQueue.KEY);
    arguments.put("x-message-ttl", delayMillis);
    arguments.put("x-expires", delayMillis + MARGIN.toMillis());
    Channel channel = free.take();
    try {
      channel.queueDeclare(queue, true, false, false, arguments);
    } finally {
      free.add(channel);
    }
    channels.publish("", queue, PERSISTENT, payload);
  }
}
