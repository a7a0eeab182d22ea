// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Skip;
import io.pocketwatch.guard.HandlingEnd;
import io.pocketwatch.guard.KeptLease;
import io.pocketwatch.guard.Returns;
import io.pocketwatch.guard.TolerantConnection;
import io.pocketwatch.guard.Tracked;
import io.pocketwatch.route.DurationText;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the messages of one queue to its target. A message is acknowledged when it is settled, when
 * its next try is on hold, or when it is parked; until then the broker has it.
 */
final class CallbackConsumer extends DefaultConsumer {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final Duration BEFORE_RETURN = Duration.ofSeconds(1);

  private final CallbackSettings settings;
  private final Workers workers;
  private final DeliveryGuard guard;
  private final HttpTarget target;
  private final ParkedQueue parked;
  private final CallbackCounts counts;
  private volatile boolean cancelled;

  CallbackConsumer(
      Channel channel,
      CallbackSettings settings,
      Workers workers,
      DeliveryGuard guard,
      HttpTarget target,
      ParkedQueue parked,
      CallbackCounts counts) {
    super(channel);
    this.settings = settings;
    this.workers = workers;
    this.guard = guard;
    this.target = target;
    this.parked = parked;
    this.counts = counts;
  }

  /** The queue was deleted, or the node it lives on is gone; the channel stays open. */
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
    Delivery arrived = new Delivery(envelope, properties, body);
    try {
      workers.execute(() -> take(arrived));
    } catch (RejectedExecutionException e) {
      LOG.debug("The server stops; the message stays in its queue", e);
    }
  }

  private void take(Delivery arrived) {
    if (!open()) {
      return; // the broker gives it to the next subscription
    }
    try {
      String unreadable = TolerantConnection.unreadable(arrived.getProperties());
      if (unreadable != null) {
        park(arrived, null, unreadable);
        return;
      }
      String queue = settings.queue();
      GuardDecision decision =
          guard.decide(queue, arrived.getProperties(), guard.options().storePatience(), this::open);
      if (decision instanceof Deliver deliver) {
        deliver(arrived, deliver.handling());
      } else if (decision instanceof Skip) {
        acknowledge(arrived);
      } else if (decision instanceof HoldAgain again) {
        holdAgain(arrived, again.until());
      } else {
        putBack(arrived);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server stops; the broker keeps it
    } catch (RuntimeException | Error e) { // or it would keep its place, and nobody would have it
      LOG.error("A callback of route {} failed by a fault of ours", settings.route(), e);
      putBack(arrived);
    }
  }

  private void deliver(Delivery arrived, @Nullable Handling handling) throws InterruptedException {
    int attempt = Attempts.before(arrived) + 1;
    tellDelivered(arrived, handling, attempt);
    CallResult result;
    try (KeptLease lease = guard.keepLease(handling)) {
      workers.waitForTurn();
      result = counts.during(() -> target.call(arrived, attempt), attempt);
    } catch (InterruptedException e) {
      if (handling != null) {
        guard.abandon(handling, () -> false);
      }
      throw e;
    }
    String problem = result.problem();
    if (problem == null) {
      settle(arrived, handling);
    } else if (!open() && !cancelled) {
      // It is back in its queue, and a copy of ours would be one too many; not if that was deleted.
      if (handling != null) {
        guard.abandon(handling, () -> false);
      }
    } else if (attempt <= settings.retries().size()) {
      tryAgain(arrived, handling, attempt, problem);
    } else {
      park(arrived, handling, "callback, given up after try %d: %s".formatted(attempt, problem));
    }
  }

  private void tellDelivered(Delivery arrived, @Nullable Handling handling, int attempt) {
    Instant deliverAt = Tracked.deliverAt(arrived.getProperties());
    if (attempt == 1 && deliverAt != null) {
      MessageKey key = handling == null ? null : handling.key();
      Duration lateness = Duration.between(deliverAt, guard.now(handling != null));
      guard.tell(to -> to.delivered(settings.queue(), key, lateness));
    }
  }

  private void settle(Delivery arrived, @Nullable Handling handling) {
    if (handling != null) {
      HandlingEnd end = guard.settle(handling, this::open);
      if (end == HandlingEnd.NO_ANSWER) {
        putBack(arrived);
        return;
      }
      if (end == HandlingEnd.APPLIED) {
        guard.tell(to -> to.settled(settings.queue(), handling.key()));
      }
    }
    acknowledge(arrived);
  }

  /** The row stays held meanwhile: nobody sends another copy, unless this one's disk is lost. */
  private void tryAgain(
      Delivery arrived, @Nullable Handling handling, int attempt, String problem) {
    Duration pause = settings.retries().get(attempt - 1);
    Instant until = guard.now(handling != null).plus(pause);
    if (handling != null) {
      String reason =
          "callback, try %d of %d: %s; again in %s"
              .formatted(
                  attempt, settings.retries().size() + 1, problem, DurationText.format(pause));
      CallFailed failed = new CallFailed(reason);
      guard.tell(to -> to.failed(settings.queue(), handling.key(), failed));
      if (guard.postpone(handling, until, reason, this::open) != HandlingEnd.APPLIED) {
        putBack(arrived);
        return;
      }
    }
    holdAgain(Attempts.after(arrived, attempt), until);
  }

  private void park(Delivery arrived, @Nullable Handling handling, String reason)
      throws InterruptedException {
    LOG.warn("A message of route {} is parked: {}", settings.route(), reason);
    boolean kept =
        handling == null
            ? parked.keep(arrived, reason)
            : guard.park(handling, reason, this::open) == HandlingEnd.APPLIED;
    if (kept) {
      counts.parked();
      acknowledge(arrived);
    } else {
      putBack(arrived);
    }
  }

  /** The received copy is given up only when the broker has the other one. */
  private void holdAgain(Delivery arrived, Instant until) {
    Duration patience = guard.options().storePatience();
    Optional<String> problem;
    try {
      problem = guard.holdAgain(settings.queue(), arrived, until, patience, this::open);
    } catch (InvalidMessageException e) { // as no message that was sent through us
      parkForeign(arrived, "it cannot be held again: " + e.getMessage());
      return;
    }
    if (problem.isEmpty()) {
      acknowledge(arrived);
    } else {
      LOG.debug("Not held again: {}", problem.get());
      guard.pauseBeforeReturn(arrived, until, patience, this::open);
      returnToQueue(arrived);
    }
  }

  private void parkForeign(Delivery arrived, String reason) {
    try {
      park(arrived, null, reason);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server stops; the broker keeps it
    }
  }

  private boolean open() {
    return getChannel().isOpen();
  }

  private void acknowledge(Delivery arrived) {
    try {
      getChannel().basicAck(arrived.getEnvelope().getDeliveryTag(), false);
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; the message comes again", e);
    }
  }

  /** Returned once more it might be dropped: one that is held again is counted anew. */
  private void putBack(Delivery arrived) {
    if (Returns.many(arrived.getProperties())) {
      boolean tracked = Tracked.of(arrived.getProperties()) != null;
      holdAgain(arrived, guard.now(tracked).plus(guard.options().storePatience()));
    } else {
      guard.pause(BEFORE_RETURN, this::open);
      returnToQueue(arrived);
    }
  }

  private void returnToQueue(Delivery arrived) {
    try {
      getChannel().basicNack(arrived.getEnvelope().getDeliveryTag(), false, true);
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; the message comes again", e);
    }
  }
}
