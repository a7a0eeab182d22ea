// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import io.pocketwatch.benchmarks.subject.TargetQueue;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * The topology NServiceBus documents for its RabbitMQ transport ("delayed delivery", version 2) and
 * Celery has taken over. It has a topic exchange and a queue of 2ⁿ seconds for each of 28 bits. The
 * routing key is the delay in binary, then the address. Where its bit is 1 a message waits in the
 * level's queue; for 0 it goes to the next exchange at once.
 */
final class BinaryLadder implements Detour {
  private static final int LEVELS = 28;
  private static final String DELIVERY = "ladder-delivery";

  private BinaryLadder() {}

  static Detour declare(Connection connection) throws IOException, TimeoutException {
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(DELIVERY, BuiltinExchangeType.TOPIC, true);
      // From the last level up: what a level leads to is there before it.
      for (int level = 0; level < LEVELS; level++) {
        declareLevel(channel, level);
      }
      channel.queueBind(TargetQueue.KEY, DELIVERY, "#." + TargetQueue.KEY);
    }
    return new BinaryLadder();
  }

  private static void declareLevel(Channel channel, int level) throws IOException {
    String name = name(level);
    String next = level == 0 ? DELIVERY : name(level - 1);
    Map<String, Object> arguments = Detour.expiringTo("quorum", next);
    arguments.put("x-message-ttl", 1_000L << level);
    String higherBits = "*.".repeat(LEVELS - 1 - level);
    channel.exchangeDeclare(name, BuiltinExchangeType.TOPIC, true);
    channel.queueDeclare(name, true, false, false, arguments);
    channel.queueBind(name, name, higherBits + "1.#");
    channel.exchangeBind(next, name, higherBits + "0.#");
  }

  private static String name(int level) {
    return String.format(Locale.ROOT, "ladder-%02d", level);
  }

  /** Enters at the highest bit that is set, as NServiceBus does. */
  @Override
  public void publish(ConfirmedChannels channels, byte[] payload, long delayMillis)
      throws IOException, InterruptedException {
    int seconds = Math.toIntExact((delayMillis + 999) / 1_000);
    int start = seconds == 0 ? 0 : 31 - Integer.numberOfLeadingZeros(seconds);
    channels.publish(name(start), routingKey(seconds), PERSISTENT, payload);
  }

  private static String routingKey(int seconds) {
    StringBuilder key = new StringBuilder(2 * LEVELS + TargetQueue.KEY.length());
    for (int level = LEVELS - 1; level >= 0; level--) {
      key.append((seconds >>> level & 1) == 1 ? "1." : "0.");
    }
    return key.append(TargetQueue.KEY).toString();
  }
}
