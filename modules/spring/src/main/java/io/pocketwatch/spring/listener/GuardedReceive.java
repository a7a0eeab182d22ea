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
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
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
  /** What answers for a transaction that has received. */
  private static final Map<RabbitResourceHolder, GuardedChannel> JOINED =
      Collections.synchronizedMap(new WeakHashMap<>());

  private GuardedReceive() {}

  /**
   * Takes the next message that is to be handled.
   *
   * @param consumerArguments for the broker, where it is waited for
   * @param timeoutMillis for how long to wait for it; for ever if negative; null to only look
   * @param local whether the channel has a transaction that is committed before this returns
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
      boolean local,
      @Nullable ConnectionFactory joined)
      throws IOException {
    RabbitResourceHolder holder =
        joined == null
            ? null
            : (RabbitResourceHolder) TransactionSynchronizationManager.getResource(joined);
    GuardedChannel guarded =
        channel instanceof GuardedChannel already // that of a listener, in its transaction
            ? already
            : guarded(guard, channel, holder);
    if (!local) {
      return take(guarded, queue, consumerArguments, timeoutMillis, holder);
    }
    try {
      return take(guarded, queue, consumerArguments, timeoutMillis, null);
    } finally { // also if nothing is taken: what was passed over is answered, too
      if (guarded != channel) {
        guarded.abort(); // waits for that, and leaves the channel open
      }
      if (channel.isOpen()) {
        RabbitUtils.commitIfNecessary(channel);
      }
    }
  }

  private static @Nullable Delivery take(
      GuardedChannel guarded,
      String queue,
      Map<String, Object> consumerArguments,
      @Nullable Long timeoutMillis,
      @Nullable RabbitResourceHolder holder)
      throws IOException {
    Delivery taken = next(guarded, queue, consumerArguments, timeoutMillis);
    if (taken == null) {
      return null;
    }
    long tag = taken.getEnvelope().getDeliveryTag();
    if (holder != null) {
      holder.addDeliveryTag(guarded, tag); // it acknowledges, or rejects, when it ends
    } else {
      guarded.acknowledgeNow(tag);
    }
    return taken;
  }

  /** One for each transaction: two would each acknowledge what the other has taken. */
  private static GuardedChannel guarded(
      DeliveryGuard guard, Channel channel, @Nullable RabbitResourceHolder holder) {
    GuardedChannel known = holder == null ? null : JOINED.get(holder);
    if (holder != null && known != null && holder.containsChannel(known)) {
      return known;
    }
    GuardedChannel made =
        guard
            .guard(
                channel,
                ChannelUse.plain()
                    .withTransacted(holder != null)
                    .withTransaction(SpringTransaction::tell))
            .borrowed();
    if (holder != null) {
      holder.addChannel(made);
      JOINED.put(holder, made);
    }
    return made;
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
}
