// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import io.pocketwatch.benchmarks.subject.TargetQueue;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * One queue for every delay, the delay as the message's own time to live. RabbitMQ looks at the
 * head of a queue only, so a message waits for all that were sent before it.
 */
final class SharedTtlQueue implements Detour {
  private static final String QUEUE = "shared-ttl";

  private SharedTtlQueue() {}

  static Detour declare(Connection connection) throws IOException, TimeoutException {
    Map<String, Object> arguments = Detour.expiringTo("quorum", TargetQueue.EXCHANGE);
    arguments.put("x-dead-letter-routing-key", TargetQueue.KEY);
    try (Channel channel = connection.createChannel()) {
      channel.queueDeclare(QUEUE, true, false, false, arguments);
    }
    return new SharedTtlQueue();
  }

  @Override
  public void publish(ConfirmedChannels channels, byte[] payload, long delayMillis)
      throws IOException, InterruptedException {
    channels.publish(
        "", QUEUE, PERSISTENT.builder().expiration(Long.toString(delayMillis)).build(), payload);
  }
}
