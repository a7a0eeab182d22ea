// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** Keeps what was given up and has no row to say so: a queue beside the route's own. */
final class ParkedQueue {
  private static final String REASON = "pocketwatch-parked";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Channel channel;
  private final String name;

  /**
   * @param channel one of its own
   */
  ParkedQueue(Channel channel, String name) throws IOException {
    this.channel = channel;
    this.name = name;
    channel.confirmSelect();
  }

  static String beside(String queue) {
    return queue + ".parked";
  }

  /** True if the broker has confirmed that it keeps the message. */
  synchronized boolean keep(Delivery message, String reason) throws InterruptedException {
    Map<String, Object> headers = new LinkedHashMap<>();
    BasicProperties properties = message.getProperties();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    headers.put(REASON, reason);
    try {
      channel.basicPublish(
          "",
          name,
          properties.builder().headers(headers).deliveryMode(2).build(),
          message.getBody());
      return channel.waitForConfirms(PATIENCE.toMillis());
    } catch (IOException | TimeoutException | RuntimeException e) {
      return false;
    }
  }
}
