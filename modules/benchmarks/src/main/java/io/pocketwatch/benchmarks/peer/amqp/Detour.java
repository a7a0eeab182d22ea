// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The way a message takes to the target queue: all that differs between these peers. */
interface Detour {
  BasicProperties PERSISTENT = MessageProperties.MINIMAL_PERSISTENT_BASIC;

  /** Sends a message on its way; called by several threads at once. */
  void publish(ConfirmedChannels channels, byte[] payload, long delayMillis)
      throws IOException, InterruptedException;

  /** Whether the broker is to return what reaches no queue. */
  default boolean mandatory() {
    return true;
  }

  /** Arguments of a queue whose expired messages go on to this exchange. */
  static Map<String, Object> expiringTo(String queueType, String exchange) {
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-queue-type", queueType);
    arguments.put("x-dead-letter-exchange", exchange);
    if (queueType.equals("quorum")) {
      // As durable as our own hold queues; the strategy demands the overflow behaviour.
      arguments.put("x-dead-letter-strategy", "at-least-once");
      arguments.put("x-overflow", "reject-publish");
    }
    return arguments;
  }
}
