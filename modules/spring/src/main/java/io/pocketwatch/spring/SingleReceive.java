// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.rows.RowReference;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpIllegalStateException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactoryUtils;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.support.ConsumerCancelledException;
import org.springframework.amqp.rabbit.support.RabbitExceptionTranslator;

/**
 * Receives one message for a template, as Spring does, and looks at it before acknowledging it. A
 * tracked message is requeued, since nothing would settle it.
 *
 * @param local whether the channel has a transaction that is committed when the message is taken
 * @param joined the factory whose transaction on this thread acknowledges it; null to do so at once
 */
record SingleReceive(Channel channel, boolean local, @Nullable ConnectionFactory joined) {
  /**
   * A message that was taken.
   *
   * @param left how many messages are left in its queue; null if that is not known
   */
  record Taken(Delivery delivery, @Nullable Integer left) {}

  /**
   * Acknowledges what it takes; the caller commits that, since a reply may belong to it.
   *
   * @param timeoutMillis how long to wait for a message; for ever if negative; null not to wait
   * @return null if there is none
   * @throws AmqpIllegalStateException if it is tracked
   */
  @Nullable Taken take(
      String queue, Map<String, Object> consumerArguments, @Nullable Long timeoutMillis)
      throws IOException {
    Taken taken =
        timeoutMillis == null ? get(queue) : next(queue, consumerArguments, timeoutMillis);
    if (taken == null) {
      return null;
    }
    long tag = taken.delivery().getEnvelope().getDeliveryTag();
    RowReference tracked = RowReference.of(taken.delivery().getProperties());
    if (tracked != null) {
      refuse(tag);
      throw new AmqpIllegalStateException(
          "%s is tracked, and a template that receives by itself cannot settle it; it is back in '%s'."
                  .formatted(tracked.key(), queue)
              + " Consume that queue with a listener, for one message at a time with a prefetch of"
              + " 1; or send with 'tracking: handoff'");
    }
    if (joined != null) {
      ConnectionFactoryUtils.registerDeliveryTag(joined, channel, tag);
    } else {
      channel.basicAck(tag, false);
    }
    return taken;
  }

  private void refuse(long tag) throws IOException {
    channel.basicNack(tag, false, true);
    if (joined != null) { // a rollback undoes that; closing the channel then has the same effect
      RabbitUtils.setPhysicalCloseRequired(channel, true);
    }
    commit();
  }

  private void commit() {
    if (local) {
      RabbitUtils.commitIfNecessary(channel);
    }
  }

  private @Nullable Taken get(String queue) throws IOException {
    GetResponse there = channel.basicGet(queue, false);
    return there == null
        ? null
        : new Taken(
            new Delivery(there.getEnvelope(), there.getProps(), there.getBody()),
            there.getMessageCount());
  }

  private @Nullable Taken next(
      String queue, Map<String, Object> consumerArguments, long timeoutMillis) throws IOException {
    First first = new First(channel);
    channel.basicQos(1);
    String tag = channel.basicConsume(queue, false, "", false, false, consumerArguments, first);
    try {
      Delivery came =
          timeoutMillis < 0
              ? first.came.get()
              : first.came.get(timeoutMillis, TimeUnit.MILLISECONDS);
      channel.basicCancel(tag);
      return new Taken(came, null);
    } catch (TimeoutException e) {
      closeWith(tag);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closeWith(tag);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw cause instanceof ConsumerCancelledException cancelled
          ? cancelled
          : RabbitExceptionTranslator.convertRabbitAccessException(cause);
    }
    return null;
  }

  /** A message may still come until the cancel is done; closing the channel requeues it. */
  private void closeWith(String tag) throws IOException {
    RabbitUtils.setPhysicalCloseRequired(channel, true);
    channel.basicCancel(tag);
  }

  private static final class First extends DefaultConsumer {
    final CompletableFuture<Delivery> came = new CompletableFuture<>();

    First(Channel channel) {
      super(channel);
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) {
      came.complete(new Delivery(envelope, properties, body));
    }

    @Override
    public void handleCancel(String tag) {
      came.completeExceptionally(new ConsumerCancelledException());
    }

    @Override
    public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
      came.completeExceptionally(cause);
    }
  }
}
