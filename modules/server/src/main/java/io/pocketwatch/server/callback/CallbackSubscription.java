// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One route's consumer and its channels on one connection, until any of them ends. It is not mended
 * but replaced.
 */
final class CallbackSubscription {
  /** A message that is requeued again and again must not be dropped. */
  private static final Map<String, Object> ARGUMENTS =
      Map.of("x-queue-type", "quorum", "x-delivery-limit", 1_000_000_000L);

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final ParkedQueue parked;
  private final CallbackConsumer consumer;
  private final String tag;

  private CallbackSubscription(ParkedQueue parked, CallbackConsumer consumer, String tag) {
    this.parked = parked;
    this.consumer = consumer;
    this.tag = tag;
  }

  /** Makes the consumer of a subscription. */
  @FunctionalInterface
  interface Consumers {
    CallbackConsumer make(Channel channel, ParkedQueue parked);
  }

  /**
   * Begins to consume.
   *
   * @param declare whether queues may be made
   * @throws IOException if the broker does not let it; no channel is left behind
   */
  static CallbackSubscription begin(
      Connection connection,
      boolean declare,
      String queue,
      String parkedQueue,
      int ahead,
      Consumers consumers)
      throws IOException {
    require(connection, queue, declare);
    require(connection, parkedQueue, declare);
    Channel parking = Channels.open(connection);
    Channel channel = null;
    try {
      ParkedQueue parked = new ParkedQueue(parking, parkedQueue);
      channel = Channels.open(connection);
      channel.basicQos(ahead);
      CallbackConsumer consumer = consumers.make(channel, parked);
      String tag = consumer.getChannel().basicConsume(queue, false, consumer);
      return new CallbackSubscription(parked, consumer, tag);
    } catch (IOException | RuntimeException e) {
      Channels.abort(parking);
      if (channel != null) {
        Channels.abort(channel);
      }
      throw e;
    }
  }

  /**
   * Requires a queue, declared if allowed. A queue with other arguments will do.
   *
   * @throws IOException if there is none
   */
  private static void require(Connection connection, String queue, boolean declare)
      throws IOException {
    try {
      Channel channel = Channels.open(connection);
      channel.queueDeclarePassive(queue);
      Channels.abort(channel);
      return;
    } catch (IOException e) {
      if (!declare || !connection.isOpen()) {
        throw e;
      }
    }
    Channel channel = Channels.open(connection);
    channel.queueDeclare(queue, true, false, false, ARGUMENTS);
    Channels.abort(channel);
  }

  /** Why no messages come any more, or none can be parked; null if all is well. */
  @Nullable String problem() {
    if (consumer.cancelled()) {
      return "the broker has cancelled its consumer";
    }
    ShutdownSignalException deaf = consumer.getChannel().getCloseReason();
    if (deaf != null) {
      return "its channel was closed: " + ErrorWords.of(deaf);
    }
    ShutdownSignalException full = parked.channel().getCloseReason();
    if (full == null) {
      return null;
    }
    String words = "nothing can be parked";
    return full.isInitiatedByApplication() ? words : words + ": " + ErrorWords.of(full);
  }

  /** Cancels the consumer; the messages of present calls can still be acknowledged. */
  void cancel() {
    try {
      consumer.getChannel().basicCancel(tag);
    } catch (IOException | RuntimeException e) {
      LOG.debug("The channel is gone; so is the consumer", e);
    }
  }

  /** Closes the channels, so that unacknowledged messages are requeued. */
  void close() {
    Channels.abort(consumer.getChannel());
    parked.close();
  }
}
