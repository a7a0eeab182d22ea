// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import io.pocketwatch.benchmarks.subject.TargetQueue;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;

/**
 * A number of hold queues behind one exchange; each message goes into any of them. It shows what it
 * costs a broker to publish into many queues instead of few. All hold for the same time, so that
 * nothing else differs.
 */
final class ManyHolds implements Detour {
  private static final String NAME = "holds";

  private final int queues;

  private ManyHolds(int queues) {
    this.queues = queues;
  }

  static Detour declare(Connection connection, int queues, long ttlMillis)
      throws IOException, TimeoutException {
    Map<String, Object> arguments = Detour.expiringTo("quorum", TargetQueue.EXCHANGE);
    arguments.put("x-dead-letter-routing-key", TargetQueue.KEY);
    arguments.put("x-message-ttl", ttlMillis);
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(NAME, BuiltinExchangeType.DIRECT, true);
      for (int queue = 0; queue < queues; queue++) {
        channel.queueDeclare(NAME + queue, true, false, false, arguments);
        channel.queueBind(NAME + queue, NAME, NAME + queue);
      }
    }
    return new ManyHolds(queues);
  }

  @Override
  public void publish(ConfirmedChannels channels, byte[] payload, long delayMillis)
      throws IOException, InterruptedException {
    String key = NAME + ThreadLocalRandom.current().nextInt(queues);
    channels.publish(NAME, key, PERSISTENT, payload);
  }
}
