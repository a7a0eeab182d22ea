// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.PublishSession;
import io.pocketwatch.internal.amqp.UnconfirmedMessage;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.HoldProbe;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Wheel;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one message of ours through every hand of the wheel, one wait, the release and the deliver
 * exchange to a queue of its own. A missing dead-letter exchange, a missing permission or a policy
 * that rewrites keys drops messages without a word; this is how they are heard of.
 */
final class StartupProbe {
  /** A broker whose dead-letter worker waits out a crash (180 s by default) does not make it. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** In a hand of a minute it need not be a minute. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(1);

  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private static final Logger LOG = LoggerFactory.getLogger(StartupProbe.class);

  private final AdminChannels admin;
  private final HoldOptions hold;
  private final Scheduler scheduler;
  private final Names names;

  /** One for all attempts: the message of a failed one may come yet, and then finds its queue. */
  private final String token = UUID.randomUUID().toString();

  private final Consumer<BrokerClock> clockSeen;

  private int attempts;

  /** When the first attempt began: on this machine's clock, and in time that nobody can set. */
  private Instant sent = Instant.EPOCH;

  private long sentNanos;

  /** Its own: an error of somebody else's would end the consumer, and the queue with it. */
  private @Nullable Channel listening;

  /**
   * @param clockSeen told of the broker's clock when the message has come back
   */
  StartupProbe(
      AdminChannels admin, HoldOptions hold, Consumer<BrokerClock> clockSeen, Scheduler scheduler) {
    this.scheduler = scheduler;
    this.admin = admin;
    this.clockSeen = clockSeen;
    this.hold = hold;
    this.names = new Names(hold.namePrefix());
  }

  /**
   * @return whether the message came back, or no message could tell anything. It is false only if
   *     the broker has blocked publishers, which is no fault of the topology
   * @throws TopologyException if the message does not come back
   */
  boolean run(PublishSession session, BrokerCapabilities facts)
      throws IOException, TimeoutException {
    if (unit().compareTo(PATIENCE.dividedBy(2)) > 0 && !lanes(facts)) {
      LOG.info(
          "The wheel is not probed: a probe would wait behind others, up to {}",
          DurationText.format(unit()));
      return true;
    }
    attempts++;
    if (attempts == 1) {
      sent = Instant.now();
      sentNanos = scheduler.nanoTime();
    }
    String held = names.handQueue(holdClass(facts), unit(), 1);
    CompletableFuture<Optional<BrokerClock>> arrived = new CompletableFuture<>();
    CompletableFuture<PublishReceipt> receipt = new CompletableFuture<>();
    String queue = admin.callKeeping(channel -> listen(channel, held, arrived));
    try {
      long deadline = scheduler.nanoTime() + PATIENCE.toNanos();
      session.publish(
          new UnconfirmedMessage(plan(facts), new byte[0], deadline, receipt::complete));
      if (!answered(session, receipt)) {
        LOG.warn(
            "The wheel is not probed, as the broker has blocked publishers: {}", session.blocked());
        return false; // its queue stays, or the message would be parked once it gets through
      }
      PublishReceipt answer = receipt.join();
      boolean unanswered =
          answer.outcome() == PublishOutcome.UNCERTAIN && answer.cause() != Cause.NACKED;
      if (unanswered || !answer.confirmed() && !session.isOpen()) {
        throw new IOException("lost while probing: " + answer.detail());
      }
      if (!answer.confirmed()) {
        throw new TopologyException("a probe message was not taken: " + answer);
      }
      scheduler.await(arrived, PATIENCE).ifPresent(clockSeen);
      if (attempts == 1) {
        forget(queue);
      }
      return true;
    } catch (TimeoutException e) {
      if (!session.isOpen()) {
        throw new IOException("lost while probing", e);
      }
      throw new TopologyException(
          "a probe message did not come back within "
              + PATIENCE.toSeconds()
              + " s. Look for policies that match '"
              + names.release()
              + "' and its like (dead-letter-routing-key, expires), for missing"
              + " bindings and permissions, and for a node that has just crashed",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TopologyException("interrupted while waiting for a probe message", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("these futures only complete normally", e);
    }
  }

  /** The broker says that it blocks a connection when that begins to publish, not before. */
  private boolean answered(PublishSession session, CompletableFuture<PublishReceipt> receipt)
      throws InterruptedException, ExecutionException, TimeoutException {
    for (Duration left = PATIENCE; !left.isNegative(); left = left.minus(LOOK_EVERY)) {
      try {
        PublishReceipt answer = scheduler.await(receipt, LOOK_EVERY);
        return answer.confirmed() || session.blocked() == null;
      } catch (TimeoutException e) {
        if (session.blocked() != null) {
          return false;
        }
      }
    }
    throw new TimeoutException();
  }

  private void forget(String queue) {
    try {
      admin.call(channel -> channel.queueDelete(queue));
      stopListening();
    } catch (IOException | TimeoutException e) {
      LOG.debug("{} goes with its connection", queue, e);
    }
  }

  private String listen(
      Channel channel, String held, CompletableFuture<Optional<BrokerClock>> arrived)
      throws IOException {
    String queue = names.probe(token); // under our prefix, for which there is a permission
    channel.queueDelete(queue); // with the consumer of the attempt before
    channel.queueDeclare(queue, false, true, true, Map.of("x-queue-type", "classic"));
    channel.queueBind(queue, names.deliver(), BccKeys.probe(token));
    channel.basicConsume(
        queue, true, (tag, delivery) -> arrived.complete(clock(delivery, held)), tag -> {});
    stopListening();
    listening = channel;
    return queue;
  }

  private Optional<BrokerClock> clock(Delivery delivery, String held) {
    Instant now = sent.plusNanos(scheduler.nanoTime() - sentNanos);
    return BrokerClock.of(delivery.getProperties().getHeaders(), held, sent, now);
  }

  private void stopListening() throws IOException {
    Channel channel = listening;
    if (channel != null) {
      listening = null;
      channel.abort();
    }
  }

  private PublishPlan plan(BrokerCapabilities facts) {
    List<Wheel.Hand> hands = new Wheel(hold.wheel()).hands();
    List<String> steering = new ArrayList<>();
    for (int i = 0; i < hands.size(); i++) {
      steering.add(hands.get(i).key(i == hands.size() - 1 ? 1 : 0));
    }
    steering.add(BccKeys.probe(token));
    return new PublishPlan(
        token,
        "probe",
        DelayStrategy.QUEUE_WHEEL,
        "start-up probe",
        Instant.EPOCH,
        Duration.ZERO,
        List.of(),
        null,
        names.hand(holdClass(facts), hands.get(0).unit()),
        "",
        hold.wheel().queues().type(),
        true,
        properties(facts).headers(Map.of(Headers.ID, token, "BCC", steering)).build());
  }

  private BasicProperties.Builder properties(BrokerCapabilities facts) {
    BasicProperties.Builder properties = new BasicProperties.Builder();
    if (unit().compareTo(LONGEST_HOLD) > 0) {
      properties.expiration(Long.toString(LONGEST_HOLD.toMillis()));
      if (lanes(facts)) {
        properties.priority(HoldProbe.TOP_LANE);
      }
    }
    return properties;
  }

  private HoldFamily holdClass(BrokerCapabilities facts) {
    return HoldFamily.of(hold.wheel().queues(), 0, facts);
  }

  /** How long the shortest hold of the wheel is. */
  private Duration unit() {
    return hold.wheel().resolution();
  }

  /** Whether it can pass what waits in its queue. */
  private boolean lanes(BrokerCapabilities facts) {
    return facts.priorityLanes() && hold.wheel().queues().type() == HoldQueueType.QUORUM;
  }
}
