// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Skip;
import io.pocketwatch.plan.HeldAgain;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a queue's messages through the guard to their handler; see {@link DeliveryGuard}. */
public final class GuardedConsumer extends DefaultConsumer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedConsumer.class);

  /** Before a message is handled again that failed and was returned before. */
  private static final Duration BEFORE_RETRY = Duration.ofSeconds(10);

  private final DeliveryGuard guard;
  private final String queue;
  private final String consumer;
  private final GuardedHandler handler;

  private final SentAhead sentAhead;
  private volatile boolean ended;

  GuardedConsumer(DeliveryGuard guard, Channel channel, String queue, GuardedHandler handler) {
    super(channel);
    this.guard = guard;
    this.queue = queue;
    this.consumer = guard.requireConsumer(queue);
    this.handler = handler;
    this.sentAhead = new SentAhead(queue, guard.options(), guard.lastReturns());
  }

  /** Whether the broker sends messages here. Thread-safe. */
  public boolean isConsuming() {
    return !ended && getChannel().isOpen();
  }

  @Override
  public void handleConsumeOk(String tag) {
    super.handleConsumeOk(tag);
    ended = false; // also when a connection has recovered
  }

  /** Of the broker's own accord. The channel stays open, so nobody else would notice. */
  @Override
  public void handleCancel(String tag) {
    stopped("the broker has cancelled it, as it does when a queue is deleted or its node is gone");
  }

  @Override
  public void handleCancelOk(String tag) {
    ended = true;
  }

  @Override
  public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
    guard.connectionLost(queue, cause);
    if (!cause.isHardError() && !cause.isInitiatedByApplication()) {
      stopped(String.valueOf(cause.getMessage())); // recovery is for connections only
    }
  }

  private void stopped(String why) {
    ended = true;
    LOG.warn("{} consumes from {} no more, and has to be started again: {}", consumer, queue, why);
    guard.tell(to -> to.stopped(consumer, why));
  }

  @Override
  public void handleDelivery(
      String tag, Envelope envelope, BasicProperties properties, byte[] body) {
    if (!getChannel().isOpen()) {
      return; // the client still hands out what the broker has given to another by now
    }
    Delivery arrived = new Delivery(envelope, properties, body);
    Tracked tracked = Tracked.of(properties);
    MessageKey key = tracked == null ? null : tracked.key();
    GuardDecision decision =
        guard.decide(queue, properties, sentAhead.patience(arrived), getChannel()::isOpen);
    if (decision instanceof Deliver deliver) {
      deliver(arrived, key, deliver.handling());
    } else if (decision instanceof Skip skip && key != null) {
      LOG.debug("{} is skipped by {}: {}", key, consumer, skip.verdict());
      guard.tell(to -> to.skipped(consumer, key, skip.verdict()));
      ack(arrived);
    } else if (decision instanceof HoldAgain again) {
      if (holdAgain(arrived, again.until())) {
        guard.tell(to -> to.heldAgain(consumer, key, again.reason(), again.until()));
      }
    } else {
      giveUp(arrived);
    }
  }

  private void deliver(Delivery arrived, @Nullable MessageKey key, @Nullable Handling handling) {
    Instant deliverAt = Tracked.deliverAt(arrived.getProperties());
    Duration lateness =
        deliverAt == null ? null : Duration.between(deliverAt, guard.now(key != null));
    guard.tell(to -> to.delivered(consumer, key, lateness));
    try (KeptLease lease = guard.keepLease(handling)) {
      GuardedDelivery delivery =
          new GuardedDelivery(arrived, handling, lease, guard.options().namePrefix());
      try {
        handler.handle(delivery);
      } catch (Throwable e) { // an error must not close the channel under other messages
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        failed(arrived, key, handling, lease, e);
        return;
      }
      done(arrived, handling, delivery.isSettled());
    }
  }

  private void done(Delivery arrived, @Nullable Handling handling, boolean settled) {
    if (handling != null) {
      HandlingEnd end =
          settled ? HandlingEnd.APPLIED : guard.settle(handling, getChannel()::isOpen);
      if (end == HandlingEnd.NO_ANSWER) {
        LOG.warn("{} was handled, but could not be settled; it is handled again", handling.key());
        returnToQueue(arrived);
        return;
      }
      if (end == HandlingEnd.APPLIED) {
        guard.tell(to -> to.settled(consumer, handling.key()));
      } else {
        LOG.warn("{} was handled by {} too late: it was taken over", handling.key(), consumer);
        guard.tell(to -> to.overtaken(consumer, handling.key()));
      }
    }
    ack(arrived);
  }

  private void failed(
      Delivery arrived,
      @Nullable MessageKey key,
      @Nullable Handling handling,
      KeptLease lease,
      Throwable cause) {
    LOG.warn("The handler of {} failed for {}", consumer, name(arrived, key), cause);
    guard.tell(to -> to.failed(consumer, key, cause));
    if (guard.options().requeueFailed() && cameBack(arrived)) {
      retryLater(arrived, key, handling, lease, cause);
    } else if (handling != null
        && guard.fail(handling, cause, getChannel()::isOpen) != HandlingEnd.APPLIED) {
      // Settled by the transaction that seemed to fail, taken over, or not known to have failed:
      // another look will tell.
      returnToQueue(arrived);
    } else {
      nack(arrived, guard.options().requeueFailed());
    }
  }

  /** Not every queue counts returns; but each says what it has handed out before. */
  private static boolean cameBack(Delivery arrived) {
    return arrived.getEnvelope().isRedeliver() || HeldAgain.is(arrived.getProperties());
  }

  /**
   * Returned once more it might be dropped, and nobody but its row would know of it then; where
   * returns are not counted, it would come back at once and for ever.
   */
  private void retryLater(
      Delivery arrived,
      @Nullable MessageKey key,
      @Nullable Handling handling,
      KeptLease lease,
      Throwable cause) {
    Instant until = guard.now(key != null).plus(BEFORE_RETRY);
    if (handling != null
        && guard.postpone(handling, until, cause.toString(), getChannel()::isOpen)
            != HandlingEnd.APPLIED) {
      returnToQueue(arrived); // as when it fails
    } else {
      lease.close(); // the handling has ended, and the holding may take longer than its lease
      holdAgain(arrived, until);
    }
  }

  /** The received copy is given up only when the broker has the other one. */
  private boolean holdAgain(Delivery arrived, Instant until) {
    Duration patience = sentAhead.patience(arrived);
    Optional<String> problem;
    try {
      problem = guard.holdAgain(queue, arrived, until, patience, getChannel()::isOpen);
    } catch (InvalidMessageException e) { // returned, it would come again at once and for ever
      LOG.warn("{} is rejected, it cannot be held again: {}", name(arrived), e.getMessage());
      nack(arrived, false);
      return false;
    }
    if (problem.isEmpty()) {
      ack(arrived);
      return true;
    }
    LOG.warn(
        "{} could not be held again, it goes back to {}: {}", name(arrived), queue, problem.get());
    guard.pauseBeforeReturn(arrived, until, patience, getChannel()::isOpen);
    sentAhead.hasWaited(arrived, patience);
    comesAgain(arrived);
    return false;
  }

  private void giveUp(Delivery arrived) {
    sentAhead.hasWaited(arrived, sentAhead.patience(arrived));
    if (Returns.many(arrived.getProperties())) {
      holdAgain(arrived, guard.now(true).plus(guard.options().storePatience()));
    } else {
      comesAgain(arrived);
    }
  }

  private void comesAgain(Delivery arrived) {
    sentAhead.goesBack(arrived);
    returnToQueue(arrived);
  }

  private void ack(Delivery arrived) {
    try {
      getChannel().basicAck(arrived.getEnvelope().getDeliveryTag(), false);
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; {} comes again", name(arrived), e);
    }
  }

  private void returnToQueue(Delivery arrived) {
    nack(arrived, true);
  }

  private void nack(Delivery arrived, boolean requeue) {
    try {
      getChannel().basicNack(arrived.getEnvelope().getDeliveryTag(), false, requeue);
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; {} comes again", name(arrived), e);
    }
  }

  private static String name(Delivery arrived) {
    Tracked tracked = Tracked.of(arrived.getProperties());
    return name(arrived, tracked == null ? null : tracked.key());
  }

  private static String name(Delivery arrived, @Nullable MessageKey key) {
    return key != null ? key.toString() : "message " + arrived.getProperties().getMessageId();
  }

  /** Consumes no more; what is being handled is finished and acknowledged. */
  @Override
  public void close() throws IOException {
    if (getChannel().isOpen()) {
      getChannel().basicCancel(getConsumerTag());
    }
  }
}
