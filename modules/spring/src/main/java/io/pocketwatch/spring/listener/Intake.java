// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Reason;
import io.pocketwatch.guard.GuardDecision.Skip;
import io.pocketwatch.guard.Returns;
import io.pocketwatch.guard.Tracked;
import io.pocketwatch.spring.listener.HeldBack.Later;
import io.pocketwatch.spring.listener.Turn.Item;
import io.pocketwatch.store.Handling;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;

/** The decisions for one call of a listener, and what follows from those that are against it. */
final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private final Judge judge;
  private final String namePrefix;
  private final Channel channel;
  private final AcknowledgeMode mode;
  private final boolean returnable;
  private final @Nullable ManualChannel manual;
  private final Exhausted exhausted;
  private final Containers containers;

  private final List<Item> items = new ArrayList<>();
  private final List<Message> refused = new ArrayList<>();

  /**
   * @param mode null if unknown, with messages only that no guard has to settle
   */
  Intake(
      Judge judge,
      String namePrefix,
      Channel channel,
      @Nullable AcknowledgeMode mode,
      ManualChannels manualChannels,
      Exhausted exhausted,
      Containers containers) {
    this.judge = judge;
    this.namePrefix = namePrefix;
    this.channel = channel;
    this.returnable = mode != null && !mode.isAutoAck();
    this.mode = Objects.requireNonNullElse(mode, AcknowledgeMode.AUTO);
    this.manual = this.mode.isManual() && judge.guard() != null ? manualChannels.of(channel) : null;
    this.exhausted = exhausted;
    this.containers = containers;
  }

  /** Decides for all; if any cannot be decided and the container acknowledges, all come again. */
  Turn take(List<Message> arrived) {
    List<Later> later = new ArrayList<>();
    Map<Long, @Nullable InHand> known = new HashMap<>(); // fragments of a batch share a delivery
    for (Message message : arrived) {
      long tag = message.getMessageProperties().getDeliveryTag();
      if (known.containsKey(tag)) {
        InHand inHand = known.get(tag);
        if (inHand != null) {
          items.add(item(message, inHand));
        }
      } else {
        known.put(tag, begin(message, later));
      }
    }
    HeldBack heldBack = null;
    boolean together = returnable && !mode.isManual() && !items.isEmpty();
    if (together && !later.isEmpty()) {
      Message last = later.get(later.size() - 1).message();
      Duration patience = patience(last);
      Runnable refused =
          () -> {
            waited(last, patience);
            later.forEach(copy -> exhausted.returns(judge.queue(), copy.message()));
          };
      heldBack = new HeldBack(later, patience, refused, judge.whileOpen(channel), containers);
    } else if (refused.isEmpty() || mode.isManual()) {
      later.forEach(this::holdAgain);
    }
    returnRefused();
    return new Turn(items, channel, manual, true, heldBack);
  }

  /** Decides for the first fragment of a delivery; null if its work is not to be done. */
  @Nullable InHand begin(Message fragment) {
    InHand inHand = begin(fragment, new ArrayList<>());
    items.clear();
    returnRefused();
    return inHand;
  }

  Turn turn(Message fragment, InHand inHand, boolean last) {
    return new Turn(List.of(item(fragment, inHand)), channel, manual, last, null);
  }

  private @Nullable InHand begin(Message message, List<Later> later) {
    boolean whole =
        judge.guard() != null
            && !Fragments.isFragment(message)
            && (AsReceived.of(message) != null || containers.asReceived(judge.queue()));
    Duration patience = patience(message);
    GuardDecision decision = judge.decide(message, whole, patience);
    if (decision instanceof Deliver deliver) {
      return deliver(message, deliver.handling());
    }
    if (decision instanceof Skip skip) {
      skipped(message, skip);
    } else if (decision instanceof HoldAgain again) {
      later.add(new Later(message, again));
    } else {
      waited(message, patience);
      if (whole && Returns.many(Wire.headers(message))) {
        Instant until = judge.now(message).plus(judge.options().storePatience());
        later.add(new Later(message, new HoldAgain(until, Reason.BUSY)));
      } else {
        goesBack(message);
      }
    }
    return null;
  }

  /** What the broker has given up already, or perhaps has, waits here for as long as it takes. */
  private Duration patience(Message message) {
    if (!returnable) {
      return Judge.UNTIL_DUE;
    }
    boolean waited = exhausted.hasWaited(channel, judge.queue(), message);
    return waited || !refused.isEmpty() ? Duration.ZERO : judge.options().storePatience();
  }

  /** In vain, for so long. */
  private void waited(Message message, Duration patience) {
    if (!patience.isZero()) {
      exhausted.waited(channel, message, containers.prefetch(judge.queue()));
    }
  }

  private void goesBack(Message message) {
    exhausted.returns(judge.queue(), message);
    refused.add(message);
  }

  private @Nullable InHand deliver(Message message, @Nullable Handling handling) {
    DeliveryGuard guard = judge.guard();
    Tracked tracked = Tracked.of(Wire.headers(message));
    InHand inHand =
        new InHand(
            guard,
            guard == null ? judge.queue() : guard.consumer(judge.queue()),
            message.getMessageProperties().getDeliveryTag(),
            tracked == null ? null : tracked.key(),
            handling,
            channel::isOpen);
    if (handling != null && mode.isAutoAck()) {
      throw refuse(inHand);
    }
    if (guard != null) {
      Duration lateness = lateness(message);
      guard.tell(
          to ->
              to.delivered(
                  guard.consumer(judge.queue()), tracked == null ? null : tracked.key(), lateness));
    }
    if (manual != null) {
      manual.add(inHand);
    }
    items.add(item(message, inHand));
    return inHand;
  }

  private RuntimeException refuse(InHand inHand) {
    RuntimeException refusal =
        new AmqpRejectAndDontRequeueException(
            "'%s' is consumed with acknowledge mode NONE, and %s is tracked: it would be lost if"
                    .formatted(judge.queue(), inHand)
                + " this consumer died. Use AUTO or MANUAL, or a route without tracking");
    inHand.fail(refusal);
    items.forEach(item -> item.inHand().abandon());
    return refusal;
  }

  private Item item(Message message, InHand inHand) {
    return new Item(ReceivedDelays.cleanCopy(message, namePrefix, lateness(message)), inHand);
  }

  private @Nullable Duration lateness(Message message) {
    Instant deliverAt = Tracked.deliverAt(Wire.headers(message));
    return deliverAt == null ? null : Duration.between(deliverAt, judge.now(message));
  }

  private void skipped(Message message, Skip skip) {
    Tracked tracked = Tracked.of(Wire.headers(message));
    DeliveryGuard guard = judge.guard();
    if (tracked != null && guard != null) {
      String consumer = guard.consumer(judge.queue());
      LOG.debug("{} is skipped by {}: {}", tracked.key(), consumer, skip.verdict());
      guard.tell(to -> to.skipped(consumer, tracked.key(), skip.verdict()));
    }
    acknowledge(message);
  }

  private void holdAgain(Later later) {
    DeliveryGuard guard = Objects.requireNonNull(judge.guard(), "guard");
    Message message = later.message();
    Duration patience = patience(message);
    if (!returnable) {
      holdOrWait(guard, later);
    } else if (HoldingAgain.hold(judge, guard, message, later.decision(), patience)) {
      acknowledge(message);
    } else {
      waited(message, patience);
      goesBack(message);
    }
  }

  /** Or the only copy would be lost: what cannot be held by then is handled when it is time. */
  private void holdOrWait(DeliveryGuard guard, Later later) {
    Message message = later.message();
    if (HoldingAgain.holdByThen(judge, guard, message, later.decision())) {
      return;
    }
    GuardDecision decision = judge.decide(message, false, Judge.UNTIL_DUE);
    if (decision instanceof Deliver deliver) {
      deliver(message, deliver.handling());
    } else if (decision instanceof Skip skip) {
      skipped(message, skip);
    } else {
      refused.add(message);
    }
  }

  private void returnRefused() {
    if (refused.isEmpty()) {
      return;
    }
    if (!mode.isManual()) {
      items.forEach(item -> item.inHand().abandon());
      throw ComesAgain.of(
          refused,
          "not now: %d of %d messages of %s %s"
              .formatted(
                  refused.size(),
                  refused.size() + items.size(),
                  judge.queue(),
                  mode.isAutoAck() ? "are lost, for nobody acknowledges them" : "go back"),
          null);
    }
    for (Message message : refused) {
      try {
        channel.basicNack(message.getMessageProperties().getDeliveryTag(), false, true);
      } catch (IOException e) {
        throw new AmqpIOException(e);
      }
    }
  }

  /** Where the container does not; elsewhere it acknowledges all it was not told otherwise. */
  private void acknowledge(Message message) {
    if (mode.isManual()) {
      try {
        channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
      } catch (IOException e) {
        throw new AmqpIOException(e);
      }
    }
  }
}
