// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps messages that were given up and have no row: one queue for each callback queue. If it fails
 * its channel is closed, which makes {@link CallbackSubscription} begin anew.
 */
final class ParkedQueue {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Channel channel;
  private final String name;
  private volatile boolean returned;

  /**
   * @param channel one of its own
   */
  ParkedQueue(Channel channel, String name) throws IOException {
    this.channel = channel;
    this.name = name;
    channel.addReturnListener(message -> returned = true);
    channel.confirmSelect();
  }

  /** True if the broker has confirmed that it keeps the message. */
  synchronized boolean keep(Delivery message, String reason) throws InterruptedException {
    returned = false;
    try {
      // For a deleted queue the broker confirms too, but it returns the message first.
      channel.basicPublish("", name, true, kept(message, reason), message.getBody());
      boolean confirmed = channel.waitForConfirms(PATIENCE.toMillis());
      if (!returned) {
        return confirmed;
      }
      LOG.warn("Queue {} is gone; what was for it stays where it is", name);
    } catch (IOException | TimeoutException | RuntimeException e) {
      LOG.debug("Not kept in {}", name, e);
    }
    close();
    return false;
  }

  /**
   * Removes a {@code user-id} of another sender, for which the broker would close the channel. Nor
   * may the copy expire, or go to the queues of {@code CC} once more.
   */
  private static BasicProperties kept(Delivery message, String reason) {
    Map<String, Object> headers = new LinkedHashMap<>();
    BasicProperties properties = DeliveryTime.without(message.getProperties());
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    if (headers.containsKey("CC")) {
      headers.put(Headers.CC, headers.remove("CC"));
    }
    headers.put(DeadLetterQueue.REASON, reason);
    return properties
        .builder()
        .headers(headers)
        .userId(null)
        .expiration(null)
        .deliveryMode(2)
        .build();
  }

  Channel channel() {
    return channel;
  }

  void close() {
    Channels.abort(channel);
  }
}
