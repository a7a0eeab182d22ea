// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.internal.rows.RequeuedHold;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes a queue's messages to a handler, and answers for it; see {@link DeliveryGuard}. */
public final class GuardedConsumer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedConsumer.class);

  /** The pause before a message that failed and was requeued before is handled again. */
  private static final Duration BEFORE_RETRY = Duration.ofSeconds(10);

  private final DeliveryGuard guard;
  private final ChannelGuard channel;
  private final GuardedHandler handler;
  private final Subscription subscription;

  GuardedConsumer(
      DeliveryGuard guard,
      ChannelGuard channel,
      String queue,
      Map<String, Object> arguments,
      GuardedHandler handler)
      throws java.io.IOException {
    this.guard = guard;
    this.channel = channel;
    this.handler = handler;
    Subscription.Terms terms = new Subscription.Terms(queue, false, "", false, false, arguments);
    this.subscription = channel.consume(terms, new Handing());
  }

  /** Whether the broker sends messages here. Thread-safe. */
  public boolean isConsuming() {
    return subscription.isConsuming() && channel.channel().isOpen();
  }

  private final class Handing extends DefaultConsumer {
    Handing() {
      super(channel.channel());
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) {
      channel
          .answers()
          .delivery(envelope.getDeliveryTag())
          .ifPresent(each -> handle(envelope, each));
    }
  }

  private void handle(Envelope envelope, GuardedDelivery delivery) {
    if (!delivery.started()) {
      return;
    }
    try {
      handler.handle(delivery);
    } catch (Throwable e) { // an error must not end the thread, which has other messages
      failed(envelope, delivery, e);
      delivery.returned(true);
      return;
    }
    channel.answers().answer(envelope.getDeliveryTag(), false, Disposition.ACK);
    delivery.returned(false);
  }

  private void failed(Envelope envelope, GuardedDelivery delivery, Throwable cause) {
    LOG.warn("The handler of {} failed for {}", subscription.settlesAs(), delivery, cause);
    boolean requeue = guard.options().requeueFailed();
    if (delivery.retry(cause)) {
      return;
    }
    if (requeue && cameBack(delivery)) {
      // Requeued again it might be dropped; where the queue does not count that, it would come back
      // at once, for ever.
      Instant until = guard.now().plus(BEFORE_RETRY);
      delivery.defer(until, cause);
    } else {
      delivery.failed(cause);
      channel
          .answers()
          .answer(
              envelope.getDeliveryTag(), false, requeue ? Disposition.REQUEUE : Disposition.REJECT);
    }
  }

  /** Not every queue counts requeues, but each sets the redelivered flag. */
  private static boolean cameBack(GuardedDelivery delivery) {
    return delivery.asReceived().getEnvelope().isRedeliver()
        || RequeuedHold.is(delivery.asReceived().getProperties());
  }

  /** As {@link #close(Duration)}, for 10 s. */
  @Override
  public void close() {
    close(DeliveryGuard.LAST_HANDLERS);
  }

  /**
   * Stops consuming, and requeues the messages that no handler has. It waits for the running
   * handler, and then at most 10 s for the acknowledgements of handled messages. A handler that
   * runs longer is finished and acknowledged as long as channel and guard are open. A handler that
   * calls this does not wait for itself.
   *
   * @param patience for the handler, 0s to 1d
   * @throws IllegalArgumentException if it is out of range
   */
  public void close(Duration patience) {
    DeliveryGuard.requirePatience(patience);
    channel.close(patience);
  }

  /** Handles the messages that a guard lets through. */
  @FunctionalInterface
  public interface GuardedHandler {
    /**
     * Called on a thread of the guard, for the messages of one channel one after another. Returning
     * means that the work is done: the message is settled, together with others, and then
     * acknowledged.
     *
     * @throws Exception if the work is not done: the message comes again after the next of its
     *     route's {@code retries}. If none is left, it is recorded as failed, and is dead-lettered
     *     by its queue
     */
    void handle(GuardedDelivery delivery) throws Exception;
  }
}
