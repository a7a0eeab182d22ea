// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.GuardedChannel;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.broker.TolerantConnection;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the target with the messages of one queue. A message is acknowledged once it is settled,
 * its retry is kept by its row or the broker, or it is parked. Until then it is unacknowledged.
 */
final class CallbackConsumer extends DefaultConsumer {
  private static final Logger LOG = LoggerFactory.getLogger("serve");

  /** The pause after a fault of ours, or while nothing can be parked. */
  private static final Duration BEFORE_NEXT_LOOK = Duration.ofSeconds(10);

  private final GuardedChannel channel;
  private final CallbackRoute route;
  private final ParkedQueue parked;
  private volatile boolean cancelled;

  CallbackConsumer(GuardedChannel channel, CallbackRoute route, ParkedQueue parked) {
    super(channel);
    this.channel = channel;
    this.route = route;
    this.parked = parked;
  }

  /** Called if the queue was deleted or its node is gone; the channel stays open. */
  @Override
  public void handleCancel(String tag) {
    cancelled = true;
  }

  boolean cancelled() {
    return cancelled;
  }

  @Override
  public void handleDelivery(
      String tag, Envelope envelope, BasicProperties properties, byte[] body) {
    long delivered = envelope.getDeliveryTag();
    channel
        .delivery(delivered)
        .ifPresent(
            delivery ->
                route.workers().execute(() -> take(delivered, delivery), () -> requeue(delivered)));
  }

  private void take(long tag, GuardedDelivery delivery) {
    if (!channel.isOpen() || !delivery.started()) {
      return; // the broker gives it to the next subscription
    }
    try {
      String unreadable = TolerantConnection.unreadable(delivery.asReceived().getProperties());
      if (unreadable != null) {
        park(tag, delivery, unreadable);
      } else {
        call(tag, delivery);
      }
    } catch (InterruptedException e) { // the server stops
      requeue(tag);
      Thread.currentThread().interrupt();
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; the message comes again", e);
    } catch (RuntimeException | Error e) { // or the message would stay unacknowledged
      LOG.error("A callback of route {} failed by a fault of ours", route.name(), e);
      lookLater(delivery, new CallResult.Failure("a fault of the server's: " + ErrorWords.of(e)));
    } finally {
      delivery.returned(false);
    }
  }

  private void call(long tag, GuardedDelivery delivery) throws IOException, InterruptedException {
    int attempt = delivery.attempt();
    Delivery message = delivery.asReceived();
    route.workers().waitForTurn();
    CallResult result = route.counts().during(() -> route.target().call(message, attempt), attempt);
    String problem = result.problem();
    if (problem == null) {
      channel.basicAck(tag, false);
    } else if (!channel.isOpen() && !cancelled) {
      // It is back in its queue, and a copy of ours would be one too many; not if that was deleted.
      requeue(tag);
    } else if (!delivery.retry(
        new CallResult.Failure("callback, try %s: %s".formatted(attempt, problem)))) {
      park(tag, delivery, "callback, given up after try %s: %s".formatted(attempt, problem));
    }
  }

  private void lookLater(GuardedDelivery delivery, CallResult.Failure reason) {
    delivery.defer(route.now().plus(BEFORE_NEXT_LOOK), reason);
  }

  private void park(long tag, GuardedDelivery delivery, String reason)
      throws IOException, InterruptedException {
    LOG.warn("A message of route {} is parked: {}", route.name(), reason);
    if (delivery.handling().isPresent()) {
      delivery.park(
          reason,
          recorded -> {
            if (recorded) {
              route.counts().parked();
            }
          });
    } else if (parked.keep(delivery.asReceived(), reason)) {
      route.counts().parked();
      channel.basicAck(tag, false);
    } else {
      lookLater(delivery, new CallResult.Failure("it could not be parked: " + reason));
    }
  }

  private void requeue(long tag) {
    try {
      channel.basicNack(tag, false, true);
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; the message comes again", e);
    }
  }
}
