// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.guard.ChannelUse;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitResourceHolder;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Takes messages for a template that receives by itself. As Spring acknowledges what it hands out,
 * so is it settled: when it is taken, or with the transaction that it is taken in. What is not to
 * be handled is passed over; where the store does not answer, nothing is taken.
 */
public final class GuardedReceive {
  private GuardedReceive() {}

  /**
   * Takes the next message that is to be handled.
   *
   * @param consumerArguments for the broker, where it is waited for
   * @param timeoutMillis for how long to wait for it; for ever if negative; null to only look
   * @param joined in whose transaction of this thread the message is acknowledged; null if it is
   *     acknowledged at once
   * @return null if there is none
   * @throws IOException if the store does not answer, or a message could not be held again; it is
   *     back in its queue then
   */
  public static @Nullable Delivery take(
      DeliveryGuard guard,
      Channel channel,
      String queue,
      Map<String, Object> consumerArguments,
      @Nullable Long timeoutMillis,
      @Nullable ConnectionFactory joined)
      throws IOException {
    GuardedChannel guarded =
        channel instanceof GuardedChannel already // that of a listener, in its transaction
            ? already
            : guard.guard(
                channel,
                ChannelUse.plain()
                    .withTransacted(joined != null)
                    .withTransaction(SpringTransaction::tell));
    Delivery taken = next(guarded, queue, consumerArguments, timeoutMillis);
    if (taken == null) {
      return null;
    }
    long tag = taken.getEnvelope().getDeliveryTag();
    if (joined != null) {
      acknowledgeWithTransaction(joined, guarded, tag);
    } else {
      guarded.acknowledgeNow(tag);
    }
    return taken;
  }

  private static @Nullable Delivery next(
      GuardedChannel guarded,
      String queue,
      Map<String, Object> consumerArguments,
      @Nullable Long timeoutMillis)
      throws IOException {
    if (timeoutMillis == null) {
      GetResponse there = guarded.basicGet(queue, false);
      return there == null
          ? null
          : new Delivery(there.getEnvelope(), there.getProps(), there.getBody());
    }
    guarded.basicQos(1);
    try {
      Duration timeout = timeoutMillis < 0 ? null : Duration.ofMillis(timeoutMillis);
      Delivery next = guarded.next(queue, consumerArguments, timeout);
      if (next == null) {
        RabbitUtils.setPhysicalCloseRequired(guarded, true); // one may come until it has stopped
      }
      return next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      RabbitUtils.setPhysicalCloseRequired(guarded, true);
      return null;
    }
  }

  /** Which answers through the guarded channel, and ends it. */
  private static void acknowledgeWithTransaction(
      ConnectionFactory joined, GuardedChannel guarded, long tag) {
    if (TransactionSynchronizationManager.getResource(joined)
        instanceof RabbitResourceHolder holder) {
      if (!holder.containsChannel(guarded)) {
        holder.addChannel(guarded);
      }
      holder.addDeliveryTag(guarded, tag);
    }
  }
}
