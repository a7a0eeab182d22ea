// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.support.ConsumerCancelledException;

/** Waits for messages, each sent only when the one before it is answered. */
final class Consuming implements GuardedReceive.Source {
  private final BlockingQueue<Object> arrived = new LinkedBlockingQueue<>();
  private final Channel channel;
  private final long deadline;
  private final boolean forever;
  private final String tag;
  private volatile boolean stopped;

  Consuming(Channel channel, String queue, Map<String, Object> arguments, long timeoutMillis)
      throws IOException {
    this.channel = channel;
    this.forever = timeoutMillis < 0;
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    channel.basicQos(1);
    this.tag = channel.basicConsume(queue, false, arguments, new Arrivals(channel));
  }

  @Override
  public @Nullable Delivery next() throws IOException {
    Object next;
    try {
      next =
          forever
              ? arrived.take()
              : arrived.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      next = null;
    }
    if (next instanceof IOException broken) {
      throw broken;
    }
    if (next instanceof ConsumerCancelledException cancelled) {
      throw cancelled;
    }
    if (next == null) {
      RabbitUtils.setPhysicalCloseRequired(channel, true); // one may come until it has stopped
    }
    return (Delivery) next;
  }

  @Override
  public void stop() throws IOException {
    if (!stopped && channel.isOpen()) {
      stopped = true;
      channel.basicCancel(tag);
    }
  }

  @Override
  public void close() throws IOException {
    stop();
  }

  private final class Arrivals extends DefaultConsumer {
    Arrivals(Channel channel) {
      super(channel);
    }

    @Override
    public void handleDelivery(
        String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
      arrived.add(new Delivery(envelope, properties, body));
    }

    @Override
    public void handleCancel(String consumerTag) {
      stopped = true;
      arrived.add(new ConsumerCancelledException());
    }

    @Override
    public void handleShutdownSignal(String consumerTag, ShutdownSignalException signal) {
      arrived.add(new IOException(signal));
    }
  }
}
