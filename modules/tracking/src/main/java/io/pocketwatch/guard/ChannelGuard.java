// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.Recoverable;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.Arrival.Stage;
import io.pocketwatch.guard.ConsumerAnswers.Disposition;
import io.pocketwatch.guard.ConsumerEvent.Reason;
import io.pocketwatch.guard.GuardOptions.OnStoreFailure;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.rows.RowReference;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The walk of a channel's messages through the guard, to their consumers and back; see {@link
 * DeliveryGuard}. Neither the connection's thread nor the consumer's waits for the store: both are
 * done when they have asked.
 */
final class ChannelGuard {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelGuard.class);

  /** Where several consumers stop, what the first one returns must not go to the next ones. */
  private static final Duration BEFORE_GIVING_BACK = Duration.ofSeconds(1);

  /** For one message that somebody waits for. */
  private static final Duration LOCKED_AT_MOST = Duration.ofSeconds(2);

  private final DeliveryGuard guard;
  private final Channel channel;

  /** Hands out, one after another. */
  private final SerialExecutor turn;

  private final BrokerAnswers broker;
  private final HoldAgain onHold;
  private final ConsumerAnswers answers;

  /** Guards what follows, and the arrivals. */
  private final Object lock = new Object();

  private final Map<String, Subscription> subscriptions = new HashMap<>();

  /** Not to be begun yet. */
  private final Queue<Arrival> behind = new ArrayDeque<>();

  private final ShutdownListener lost = cause -> lost();
  private final LookAhead lookAhead;
  private int begun;
  private boolean listening;
  private boolean paused;
  private boolean closed;

  ChannelGuard(DeliveryGuard guard, Channel channel, ChannelUse use) {
    this.guard = guard;
    this.channel = channel;
    this.turn = guard.serial();
    this.broker = new BrokerAnswers(channel, guard.serial(), lock);
    this.onHold = new HoldAgain(guard, use, this, broker);
    this.answers = new ConsumerAnswers(guard, use, this, broker, onHold, lock);
    this.lookAhead = new LookAhead(guard.options().handlingLease(), use.leastAhead());
  }

  Channel channel() {
    return channel;
  }

  Subscription consume(Subscription.Terms terms, Consumer consumer) throws IOException {
    synchronized (lock) {
      if (!listening) {
        listening = true;
        channel.addShutdownListener(lost);
      }
    }
    Subscription wanted =
        new Subscription(this, terms, guard.requireConsumer(terms.queue()), consumer);
    String tag = consumeAtBroker(wanted);
    synchronized (lock) {
      subscriptions.put(tag, wanted);
    }
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

  /** The broker sends no more; what is not handed out yet goes back, soon or at the close. */
  void cancel(String tag) throws IOException {
    Subscription ended;
    synchronized (lock) {
      ended = subscriptions.remove(tag);
    }
    if (ended == null) {
      channel.basicCancel(tag);
      return;
    }
    ended.cancelled();
    guard.later(BEFORE_GIVING_BACK, () -> giveBack(ended, Stage.UNDECIDED, Stage.READY));
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
    giveBack(ended, Stage.UNDECIDED, Stage.READY);
  }

  void shutDown(Subscription ended, ShutdownSignalException cause) {
    if (!cause.isHardError() && !cause.isInitiatedByApplication()) { // no connection recovers it
      stopped(ended, ErrorWords.of(cause));
    }
  }

  /** The broker gives to others what it has no answer for. */
  private void lost() {
    synchronized (lock) {
      giveBack(null, Stage.UNDECIDED, Stage.READY);
      answers.lost(broker.open());
      broker.lost();
    }
  }

  void arrived(Subscription subscription, Delivery delivery) {
    if (!channel.isOpen()) {
      return; // the client still hands out what the broker has given to another by now
    }
    Arrival arrived = new Arrival(subscription, delivery);
    synchronized (lock) {
      broker.arrived(arrived);
      if (subscription.isCancelled() && !closed) {
        return; // given back with the others
      }
      if (paused || closed) {
        arrived.problem = new IllegalStateException("nothing is taken from this channel now");
        broker.returnToQueue(arrived);
        return;
      }
    }
    look(arrived);
  }

  /** Decides what to do with it, as far as that is known without the store. */
  void look(Arrival arrived) {
    boolean tracked = arrived.tracked() != null;
    if (tracked && guard.hasStore()) {
      admit(arrived);
      return;
    }
    if (tracked) {
      guard.unchecked(arrived.subscription().queue());
    }
    handOutUntracked(arrived);
  }

  /** Its row says nothing of it, so the broker holds it again if it is early. */
  private void handOutUntracked(Arrival arrived) {
    Instant notBefore = arrived.notBefore();
    if (notBefore != null && guard.early(notBefore)) {
      DeliveryGuard.Early held = guard.heldEarly(arrived.delivery(), notBefore);
      onHold.holdAgain(arrived, held.copy(), held.until(), Reason.EARLY);
    } else {
      handOut(arrived, null);
    }
  }

  void ifUndecided(Arrival arrived, Runnable then) {
    synchronized (lock) {
      if (arrived.stage != Stage.UNDECIDED) {
        return;
      }
    }
    then.run();
  }

  /** Begins it, or has it wait behind those that are begun. */
  private void admit(Arrival arrived) {
    synchronized (lock) {
      if (arrived.stage != Stage.UNDECIDED) {
        return;
      }
      boolean asked = arrived.counted || arrived.subscription().takesOne();
      if (!asked && begun >= lookAhead.allowed()) {
        behind.add(arrived);
        return;
      }
      count(arrived);
    }
    begin(arrived);
  }

  private void count(Arrival arrived) {
    if (!arrived.counted) {
      arrived.counted = true;
      begun++;
    }
  }

  private void uncount(Arrival arrived) {
    if (arrived.counted) {
      arrived.counted = false;
      begun--;
    }
  }

  private void begin(Arrival arrived) {
    RowReference tracked = Objects.requireNonNull(arrived.tracked());
    Handling wanted;
    synchronized (lock) {
      if (arrived.handling == null) { // else the answer was lost, and its token asks again
        arrived.handling = DeliveryGuard.handling(tracked.key(), arrived.consumer());
      }
      wanted = arrived.handling;
    }
    Instant notBefore = arrived.notBefore();
    boolean early = notBefore != null && guard.early(notBefore);
    guard.begin(
        new Beginning(wanted, tracked.generation(), early),
        (answer, why) -> begun(arrived, answer, why));
  }

  private void begun(Arrival arrived, @Nullable Begun answer, @Nullable RuntimeException problem) {
    MessageKey key = Objects.requireNonNull(arrived.key());
    String consumer = arrived.consumer();
    if (answer == null) {
      RuntimeException why = Objects.requireNonNullElseGet(problem, IllegalStateException::new);
      guard.listener().onEvent(new ConsumerEvent.StoreUnreachable(consumer, key, why));
      if (guard.options().onStoreFailure() == OnStoreFailure.DELIVER) {
        handOutUntracked(arrived);
      } else {
        unanswered(arrived, why);
      }
      return;
    }
    switch (answer.verdict()) {
      case HANDLE -> {
        if (answer.unexpected()) {
          guard.unexpected(consumer, key);
        }
        arrived.ofRow = answer.attempts();
        handOut(arrived, arrived.handling);
      }
      case UNKNOWN -> {
        guard.unknown(consumer, key);
        leave(arrived, false);
        handOutUntracked(arrived);
      }
      case EARLY -> {
        leave(arrived, false);
        handOutUntracked(arrived);
      }
      case LOCKED -> {
        if (arrived.subscription().takesOne() && arrived.age().compareTo(LOCKED_AT_MOST) > 0) {
          arrived.problem = new StoreException("somebody else has locked the row of " + key);
          leave(arrived, false);
          broker.returnToQueue(arrived);
        } else {
          againLater(arrived, () -> begin(arrived));
        }
      }
      case SETTLED, CANCELLED, OUTDATED, BUSY -> {
        LOG.debug("{} is skipped by {}: {}", key, consumer, answer.verdict());
        guard.listener().onEvent(new ConsumerEvent.Skipped(consumer, key, answer.verdict()));
        leave(arrived, false);
        broker.acknowledge(arrived);
      }
    }
  }

  /** While the store does not answer it waits here, and then in its queue. */
  private void unanswered(Arrival arrived, RuntimeException why) {
    if (arrived.subscription().takesOne()) {
      arrived.problem = new StoreException("the store does not answer: " + ErrorWords.of(why), why);
      broker.returnToQueue(arrived);
      return;
    }
    if (arrived.age().compareTo(guard.options().storePatience()) >= 0) {
      guard.pauseAll(why);
    }
    againLater(arrived, () -> begin(arrived)); // unless it is given back
  }

  void againLater(Arrival arrived, Runnable task) {
    Duration pause = arrived.pause;
    arrived.pause = Backoff.longer(pause);
    guard.later(pause, () -> ifUndecided(arrived, task));
  }

  /** Consumes no more, if anything waits for the store here; null if nothing does. */
  @Nullable MessageKey pause() {
    MessageKey waiting;
    synchronized (lock) {
      waiting =
          broker.open().stream()
              .filter(one -> one.stage == Stage.UNDECIDED && one.handling != null)
              .map(Arrival::key)
              .findFirst()
              .orElse(null);
      if (waiting == null || paused || closed) {
        return null;
      }
      paused = true;
    }
    for (Subscription each : subscriptions()) {
      each.paused();
      try {
        channel.basicCancel(each.tag());
      } catch (IOException | RuntimeException e) {
        LOG.debug("The channel is gone; so is the consumer", e);
      }
    }
    return waiting;
  }

  /** And gives back once what nobody has begun. */
  void giveBackWaiting() {
    giveBack(null, Stage.UNDECIDED);
  }

  private List<Subscription> subscriptions() {
    synchronized (lock) {
      return List.copyOf(subscriptions.values());
    }
  }

  /**
   * What may have been begun is released, for whoever gets it next.
   *
   * @param of whose; null for all
   */
  private void giveBack(@Nullable Subscription of, Stage... stages) {
    synchronized (lock) {
      for (Arrival one : broker.open()) {
        if (List.of(stages).contains(one.stage) && (of == null || one.subscription() == of)) {
          behind.remove(one);
          uncount(one);
          release(one);
          broker.returnToQueue(one);
        }
      }
    }
  }

  /** If it was begun, perhaps by a call whose answer was lost. */
  void release(Arrival arrived) {
    Handling handling = arrived.handling;
    if (handling != null) {
      guard.leases().keepNoLonger(handling);
      guard.end(Ending.release(handling, null), end -> {});
    }
  }

  /** The store did not answer once more, for a message that waits here or in the queue. */
  void storeUnreachable(MessageKey key, RuntimeException why) {
    subscriptions().stream()
        .findFirst()
        .ifPresent(
            each ->
                guard
                    .listener()
                    .onEvent(new ConsumerEvent.StoreUnreachable(each.settlesAs(), key, why)));
  }

  /** The store answers again. False if it is to be tried once more. */
  boolean resume() {
    synchronized (lock) {
      if (closed) {
        return true;
      }
      paused = false;
    }
    try {
      for (Subscription each : subscriptions()) {
        if (!each.isAtBroker()) {
          consumeAtBroker(each);
          LOG.info("The store answers again; {} consumes from {}", each.settlesAs(), each.queue());
        }
      }
      return true;
    } catch (IOException | RuntimeException e) {
      synchronized (lock) {
        paused = true;
      }
      LOG.debug("Not consumed yet", e);
      return closedForGood();
    }
  }

  /** A channel that recovers with its connection is open again some time. */
  private boolean closedForGood() {
    ShutdownSignalException cause = channel.getCloseReason();
    return cause != null
        && (!(channel instanceof Recoverable)
            || !cause.isHardError()
            || cause.isInitiatedByApplication());
  }

  private void handOut(Arrival arrived, @Nullable Handling handling) {
    synchronized (lock) {
      if (arrived.stage != Stage.UNDECIDED) {
        if (handling != null) {
          guard.end(Ending.release(handling, null), end -> {});
        }
        return;
      }
      arrived.stage = Stage.READY;
      arrived.handling = handling;
      if (handling != null) {
        guard.leases().keep(handling);
      }
    }
    if (arrived.subscription().takesOne()) {
      show(arrived); // somebody waits for it, perhaps in this channel's turn
    } else {
      turn.execute(() -> show(arrived));
    }
  }

  private void show(Arrival arrived) {
    Subscription to = arrived.subscription();
    boolean refused;
    synchronized (lock) {
      if (arrived.stage != Stage.READY || to.isCancelled()) {
        return; // given back, now or soon
      }
      answers.show(arrived);
      refused = to.terms().autoAck() && arrived.handling != null;
    }
    if (refused) {
      refuse(arrived);
      return;
    }
    Duration lateness = arrived.attempts() == 0 ? guard.lateness(arrived) : null;
    guard.listener().onEvent(new ConsumerEvent.Delivered(to.settlesAs(), arrived.key(), lateness));
    try {
      if (!to.handOut(ConsumerAnswers.withShownTag(arrived))) {
        answers.say(List.of(arrived), Disposition.REQUEUE);
      }
    } catch (IOException | RuntimeException | Error e) { // must not end the thread under others
      LOG.error("The consumer of {} failed with {}", to.queue(), arrived, e);
      answers.failed(arrived, e);
      answers.say(List.of(arrived), Disposition.REQUEUE);
      return;
    }
    if (to.terms().autoAck()) {
      answers.say(List.of(arrived), Disposition.ACK);
    }
  }

  private void refuse(Arrival arrived) {
    String refusal =
        "'%s' is consumed with automatic acknowledgement, and %s is tracked: it would be lost"
                .formatted(arrived.subscription().queue(), arrived)
            + " if this consumer died. Acknowledge it, or use a route without tracking";
    LOG.warn(refusal);
    answers.failed(arrived, new IllegalStateException(refusal));
    answers.say(List.of(arrived), Disposition.REJECT);
  }

  /** It is begun no more; the next one may be. */
  void leave(Arrival arrived, boolean handled) {
    List<Arrival> next = new ArrayList<>();
    synchronized (lock) {
      guard.leases().keepNoLonger(arrived.handling);
      uncount(arrived);
      if (handled) {
        lookAhead.ended();
      }
      while (begun < lookAhead.allowed() && !behind.isEmpty()) {
        Arrival one = behind.remove();
        if (one.stage == Stage.UNDECIDED) {
          count(one);
          next.add(one);
        }
      }
    }
    next.forEach(this::begin);
  }

  /**
   * The next message that is to be handled; null if there is none.
   *
   * @throws IOException if one is there and cannot be had now; it is back in its queue
   */
  @Nullable GetResponse get(String queue, boolean autoAck) throws IOException {
    while (true) {
      GetResponse there = channel.basicGet(queue, false);
      if (there == null) {
        return null;
      }
      SingleReceive taken = new SingleReceive(channel, false);
      Subscription.Terms terms = new Subscription.Terms(queue, false, "", false, false, Map.of());
      Subscription one = new Subscription(this, terms, guard.requireConsumer(queue), taken);
      arrived(one, new Delivery(there.getEnvelope(), there.getProps(), there.getBody()));
      Delivery next = taken.await();
      if (next != null) {
        if (autoAck) {
          answers.acknowledgeNow(next.getEnvelope().getDeliveryTag());
        }
        return new GetResponse(
            next.getEnvelope(), next.getProperties(), next.getBody(), there.getMessageCount());
      }
    }
  }

  /** As {@link #get}, and waits for one. */
  @Nullable Delivery next(String queue, Map<String, Object> arguments, @Nullable Duration timeout)
      throws IOException, InterruptedException {
    SingleReceive taken = new SingleReceive(channel, true);
    Subscription.Terms terms = new Subscription.Terms(queue, false, "", false, false, arguments);
    Subscription consuming = consume(terms, taken);
    try {
      return taken.await(timeout);
    } finally {
      if (channel.isOpen() && !consuming.isCancelled()) {
        cancel(consuming.tag());
      }
      synchronized (lock) {
        if (subscriptions.isEmpty()) {
          listening = false;
          channel.removeShutdownListener(lost); // the channel may be used by others now
        }
      }
    }
  }

  /** What its consumers say. */
  ConsumerAnswers answers() {
    return answers;
  }

  /** The broker is to send again all that it has no answer for. */
  void giveBackAll() {
    List<Arrival> all = answers.meant(0, true);
    giveBack(null, Stage.UNDECIDED, Stage.READY);
    answers.say(all, Disposition.REQUEUE);
    broker.awaitAnswers();
  }

  /**
   * Consumes no more, and gives back what no consumer has. What is being handled is finished and
   * answered; what was said by now is recorded, when this returns, as far as that takes 10 s.
   */
  void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
    }
    try {
      for (Subscription each : subscriptions()) {
        if (each.isConsuming() && channel.isOpen()) {
          channel.basicCancel(each.tag());
        }
      }
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; so are its consumers", e);
    }
    giveBack(null, Stage.UNDECIDED, Stage.READY);
    broker.awaitAnswers();
  }
}
