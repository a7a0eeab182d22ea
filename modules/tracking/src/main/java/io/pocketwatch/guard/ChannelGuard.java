// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Recoverable;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel and its consumers; see {@link DeliveryGuard}. All that happens to its messages is an
 * event, and events are handled one after another. Neither the connection's thread nor the
 * consumers' waits for the store. Thread-safe.
 */
final class ChannelGuard {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelGuard.class);

  private final DeliveryGuard guard;
  private final Channel channel;
  private final SerialExecutor events;
  private final OutgoingAcks outgoing;
  private final Deliveries deliveries;
  private final IncomingAcks incoming;
  private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();
  private final ShutdownListener lost = this::lost;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Of the events alone. */
  private boolean paused;

  ChannelGuard(DeliveryGuard guard, Channel channel, ChannelUse use) {
    this.guard = guard;
    this.channel = channel;
    this.events = guard.serial();
    HandedOut handedOut = new HandedOut();
    this.outgoing = new OutgoingAcks(channel, events, this::listenNoLonger);
    this.deliveries = new Deliveries(guard, use, events, handedOut, outgoing);
    this.incoming = new IncomingAcks(guard, use, deliveries, handedOut);
    channel.addShutdownListener(lost);
  }

  Channel channel() {
    return channel;
  }

  /** The answers of its consumers. */
  IncomingAcks answers() {
    return incoming;
  }

  /** Notes the prefetch; 0 for no limit. */
  void prefetch(int count) {
    deliveries.prefetch(count);
  }

  // Consumers

  Subscription consume(Subscription.Terms terms, Consumer consumer) throws IOException {
    Subscription wanted =
        new Subscription(this, terms, guard.requireConsumer(terms.queue()), consumer);
    subscriptions.put(consumeAtBroker(wanted), wanted);
    events.execute(
        () -> {
          if (paused) {
            pause(wanted);
          }
        });
    return wanted;
  }

  private String consumeAtBroker(Subscription wanted) throws IOException {
    Subscription.Terms terms = wanted.terms();
    String tag =
        channel.basicConsume(
            terms.queue(),
            false,
            wanted.tag(),
            terms.noLocal(),
            terms.exclusive(),
            terms.arguments(),
            wanted);
    wanted.consumedAtBroker(tag);
    return tag;
  }

  /** Cancels a consumer; messages that it does not have yet are requeued, soon or at the close. */
  void cancel(String tag) throws IOException {
    Subscription ended = subscriptions.remove(tag);
    if (ended == null) {
      channel.basicCancel(tag);
      return;
    }
    ended.cancelled();
    guard.later(Deliveries.BEFORE_GIVING_BACK, () -> giveBack(ended));
    if (ended.isAtBroker()) {
      channel.basicCancel(tag);
    } else {
      ended.handleCancelOk(tag); // the channel has paused
    }
  }

  void stopped(Subscription ended, String why) {
    LOG.warn(
        "{} consumes from {} no more, and has to be started again: {}",
        ended.settlesAs(),
        ended.queue(),
        why);
    guard.listener().onEvent(new ConsumerEvent.Stopped(ended.settlesAs(), why));
    boolean unused = subscriptions.remove(ended.tag(), ended); // or a pause would bring it back
    events.execute(() -> deliveries.stopped(ended));
  }

  /** As {@link #cancel}, but its consumer keeps its place here. An event calls it. */
  void withhold(Subscription of, OtherConsumer why) {
    LOG.error(why.description());
    guard.listener().onEvent(why);
    pause(of);
    guard.later(Deliveries.BEFORE_GIVING_BACK, () -> giveBack(of));
  }

  /** The events of the consumers that are withheld. */
  Stream<OtherConsumer> withheld() {
    return closed.get()
        ? Stream.empty()
        : subscriptions.values().stream()
            .filter(each -> !each.isCancelled())
            .map(Subscription::withheld)
            .filter(Objects::nonNull);
  }

  private void giveBack(Subscription of) {
    events.execute(() -> deliveries.giveBack(one -> one.subscription() == of));
  }

  void shutDown(Subscription ended, ShutdownSignalException cause) {
    if (!cause.isHardError() && !cause.isInitiatedByApplication()) { // no connection recovers it
      stopped(ended, ErrorWords.of(cause));
    }
  }

  // Deliveries

  void arrived(Subscription subscription, Delivery delivery) {
    if (!channel.isOpen()) {
      return; // the client still hands out what the broker has given to another by now
    }
    Arrival arrived = new Arrival(subscription, delivery, guard.time().nanoTime());
    events.execute(() -> arrived(arrived));
  }

  private void arrived(Arrival arrived) {
    outgoing.arrived(arrived);
    if (paused || closed.get()) {
      outgoing.returnToQueue(arrived);
    } else if (arrived.subscription().isCancelled() || arrived.subscription().withheld() != null) {
      deliveries.notTaken(arrived);
    } else {
      deliveries.arrived(arrived);
    }
  }

  /**
   * Removes the listeners of a closed channel, since a pooled channel of Spring's may be used
   * again. Not of a lost one, which would connect anew for that call.
   */
  private void listenNoLonger() {
    if (closed.get() && channel.isOpen()) {
      channel.removeShutdownListener(lost);
    }
  }

  /** The connection is lost: the broker gives unanswered messages to others. */
  private void lost(ShutdownSignalException cause) {
    events.execute(
        () -> {
          deliveries.lost();
          if (isForGood(cause)) {
            subscriptions.values().forEach(each -> tellPaused(each, cause));
          }
        });
  }

  /** Notifies a paused consumer, which the client does not know. */
  private void tellPaused(Subscription each, ShutdownSignalException cause) {
    if (!each.isAtBroker() && subscriptions.remove(each.tag(), each)) {
      each.handleShutdownSignal(each.tag(), cause);
    }
  }

  // While the store is away

  /** Stops consuming if any message waits here for the store; returns one of these. */
  CompletableFuture<Optional<MessageKey>> pause() {
    CompletableFuture<Optional<MessageKey>> stopped = new CompletableFuture<>();
    events.execute(
        () -> {
          Optional<MessageKey> waiting =
              paused || closed.get() ? Optional.empty() : deliveries.waitingForStore();
          if (waiting.isPresent()) {
            paused = true;
            subscriptions.values().forEach(this::pause);
          }
          stopped.complete(waiting);
        });
    return stopped;
  }

  private void pause(Subscription each) {
    if (each.isAtBroker()) {
      each.paused();
      try {
        channel.basicCancel(each.tag());
      } catch (IOException | RuntimeException e) {
        LOG.debug("The channel is gone; so is the consumer", e);
      }
    }
  }

  /** Requeues, after the pause, messages that are not begun. */
  void giveBackWaiting() {
    events.execute(() -> deliveries.giveBack(one -> one.stage != Arrival.Stage.READY));
  }

  /** The store did not answer once more, for a message that waits here or in the queue. */
  void storeUnreachable(MessageKey key, RuntimeException why) {
    subscriptions.values().stream()
        .findFirst()
        .ifPresent(
            each ->
                guard
                    .listener()
                    .onEvent(new ConsumerEvent.StoreUnreachable(each.settlesAs(), key, why)));
  }

  /** The store answers again. Tells false if it is to be tried once more. */
  CompletableFuture<Boolean> resume() {
    CompletableFuture<Boolean> resumed = new CompletableFuture<>();
    events.execute(
        () -> {
          boolean done = false;
          try {
            done = closed.get() || consumeAgain();
          } finally { // or no channel would be asked again
            resumed.complete(done);
          }
        });
    return resumed;
  }

  private boolean consumeAgain() {
    paused = false;
    try {
      for (Subscription each : subscriptions.values()) {
        if (!each.isAtBroker() && each.withheld() == null && !isGone()) {
          String tag = consumeAtBroker(each);
          LOG.info("The store answers again; {} consumes from {}", each.settlesAs(), each.queue());
          if (each.isCancelled()) { // meanwhile
            channel.basicCancel(tag);
          }
        }
      }
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.debug("Not consumed yet", e);
      paused = !isGone();
      return !paused;
    }
  }

  /**
   * Whether its consumers have heard of its end, or are about to. A pooled one of Spring's would
   * connect anew to consume, without its prefetch.
   */
  private boolean isGone() {
    if (!(channel instanceof Recoverable)) {
      return !channel.isOpen();
    }
    ShutdownSignalException cause = channel.getCloseReason();
    return cause != null && isForGood(cause);
  }

  /** A channel that recovers with its connection is open again some time. */
  private boolean isForGood(ShutdownSignalException cause) {
    return !(channel instanceof Recoverable)
        || !cause.isHardError()
        || cause.isInitiatedByApplication();
  }

  // The end

  /**
   * Consumes no more, and gives back what no consumer has. What is being handled is finished and
   * answered; what was said by now is recorded, when this returns, as far as that takes 10 s.
   */
  void close() {
    CompletableFuture<Void> unused = closing();
    guard.await(allTold(), DeliveryGuard.LAST_ANSWERS);
  }

  /** The same, and waits that long at most for the consumer that is being called. */
  void close(Duration patience) {
    guard.await(closing(), patience);
    guard.await(allTold(), DeliveryGuard.LAST_ANSWERS);
  }

  /** Begins to close; completes when no consumer is being called. */
  CompletableFuture<Void> closing() {
    if (closed.compareAndSet(false, true)) {
      deliveries.closing();
      consumeNoMore();
      guard.hurry();
      events.execute(() -> deliveries.giveBack(one -> true));
    }
    return deliveries.consumerReturned();
  }

  private void consumeNoMore() {
    try {
      for (Subscription each : subscriptions.values()) {
        if (each.isConsuming() && channel.isOpen()) {
          channel.basicCancel(each.tag());
        }
      }
    } catch (IOException | RuntimeException e) { // a pooled one throws what it likes
      LOG.debug("The channel is gone; so are its consumers", e);
    }
  }

  /** Completes when the broker has been told what it is to be told by now. */
  CompletableFuture<Void> allTold() {
    CompletableFuture<Void> told = new CompletableFuture<>();
    events.execute(() -> outgoing.whenAllTold(told));
    return told;
  }

  /** Requeues messages that wait to be recorded, since nothing is recorded any more. */
  CompletableFuture<Void> giveUp() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    events.execute(
        () -> {
          deliveries.giveUp();
          done.complete(null);
        });
    return done;
  }
}
