// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.guard.Arrival.Stage;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import io.pocketwatch.guard.GuardOptions.OnStoreFailure;
import io.pocketwatch.internal.rows.RowReference;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel's deliveries, each from its arrival until the broker is answered. All that happens to
 * one is an event of the channel, except its consumer's answer; see GUARD.md.
 */
final class Deliveries {
  private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

  /** When several consumers stop, messages requeued by the first must not go to the next ones. */
  static final Duration BEFORE_GIVING_BACK = Duration.ofSeconds(1);

  /** How many leases a handler may run on after its connection is lost. */
  private static final int LEASES_AFTER_LOSS = 10;

  private final DeliveryGuard guard;
  private final ChannelUse use;
  private final SerialExecutor events;
  private final HandedOut handedOut;
  private final OutgoingAcks outgoing;
  private final HoldAgainSender sender;
  private final AnswerRule rule;
  private final LookAhead lookAhead;

  /** Calls the consumers, one after another. */
  private final SerialExecutor handing;

  private final Queue<Arrival> ready = new ConcurrentLinkedQueue<>();

  /** The thread that is calling a consumer. */
  private volatile @Nullable Thread calling;

  /** How many messages the broker sends ahead; 0 if it does not count them. */
  private volatile int prefetch;

  /** Nothing more is handled. */
  private volatile boolean closing;

  Deliveries(
      DeliveryGuard guard,
      ChannelUse use,
      SerialExecutor events,
      HandedOut handedOut,
      OutgoingAcks outgoing) {
    this.guard = guard;
    this.use = use;
    this.events = events;
    this.handedOut = handedOut;
    this.outgoing = outgoing;
    this.sender = new HoldAgainSender(guard, use, outgoing, events);
    this.rule = new AnswerRule(guard, use);
    this.lookAhead =
        new LookAhead(guard.time()::nanoTime, guard.options().handlingLease(), use.leastAhead());
    this.handing = guard.serial();
  }

  AnswerRule rule() {
    return rule;
  }

  void prefetch(int count) {
    prefetch = count;
  }

  void closing() {
    closing = true;
  }

  // From its arrival until it is handed out

  void arrived(Arrival arrived) {
    boolean tracked = arrived.tracked() != null;
    if (tracked && guard.hasStore()) {
      if (lookAhead.admits(arrived)) {
        begin(arrived);
      }
      return;
    }
    if (tracked) {
      guard.unchecked(arrived.subscription().queue());
    }
    handOutUnchecked(arrived);
  }

  /** Hands out a message without a row. */
  private void handOutUnchecked(Arrival arrived) {
    arrived.handling = null;
    Instant notBefore = arrived.notBefore();
    if (notBefore != null && guard.early(notBefore)) {
      leave(arrived, false);
      DeliveryGuard.Early held = guard.heldEarly(arrived.delivery(), notBefore);
      sender.hold(arrived, held.copy(), held.until(), true);
    } else {
      handOut(arrived);
    }
  }

  private void begin(Arrival arrived) {
    RowReference tracked = Objects.requireNonNull(arrived.tracked());
    Handling wanted = arrived.handling;
    if (wanted == null) { // else the answer was lost, and its token asks again
      wanted = guard.handling(tracked.key(), arrived.consumer());
      arrived.handling = wanted;
    }
    arrived.stage = Stage.ASKED;
    Instant notBefore = arrived.notBefore();
    boolean early = notBefore != null && guard.early(notBefore);
    guard.begin(
        new Beginning(wanted, tracked.generation(), early),
        (answer, why) -> events.execute(() -> begun(arrived, answer, why)));
  }

  private void begun(Arrival arrived, @Nullable Begun answer, @Nullable RuntimeException why) {
    if (arrived.stage == Stage.RETURNING) {
      begunTooLate(arrived, answer);
      return;
    }
    MessageKey key = Objects.requireNonNull(arrived.key());
    String consumer = arrived.consumer();
    if (answer == null) {
      unanswered(arrived, Objects.requireNonNullElseGet(why, IllegalStateException::new));
      return;
    }
    switch (answer.verdict()) {
      case HANDLE -> {
        arrived.fromRow = answer.attempts();
        guard.leases().keep(Objects.requireNonNull(arrived.handling));
        handOut(arrived);
      }
      case UNKNOWN -> {
        guard.unknown(consumer, key);
        handOutUnchecked(arrived);
      }
      case EARLY -> {
        if (guard.early(Objects.requireNonNull(arrived.notBefore()))) {
          handOutUnchecked(arrived);
        } else {
          begin(arrived); // it is due by now, and has a row to be settled
        }
      }
      case LOCKED -> guard.again(arrived, events, () -> begin(arrived));
      case OTHER_CONSUMER -> {
        String other = Objects.requireNonNull(answer.other());
        if (arrived.wasIn(other)) { // its retry or dead-letter queue, and another copy was handled
          skip(arrived, key, Begun.Verdict.SETTLED);
        } else {
          arrived.subscription().withhold(new OtherConsumer(consumer, key, other));
          leave(arrived, false);
          outgoing.returnToQueue(arrived);
        }
      }
      case SETTLED, CANCELLED, OUTDATED, BUSY -> skip(arrived, key, answer.verdict());
    }
  }

  private void skip(Arrival arrived, MessageKey key, Begun.Verdict why) {
    LOG.debug("{} is skipped by {}: {}", key, arrived.consumer(), why);
    guard.listener().onEvent(new ConsumerEvent.Skipped(arrived.consumer(), key, why));
    leave(arrived, false);
    outgoing.acknowledge(arrived);
  }

  /** The message is being requeued, but was begun after all. */
  private void begunTooLate(Arrival arrived, @Nullable Begun answer) {
    if (answer != null && answer.verdict() == Begun.Verdict.HANDLE) {
      requeue(arrived);
    } else {
      outgoing.returnToQueue(arrived);
    }
  }

  /** While the store does not answer, the message waits here, and later in its queue. */
  private void unanswered(Arrival arrived, RuntimeException why) {
    guard
        .listener()
        .onEvent(
            new ConsumerEvent.StoreUnreachable(
                arrived.consumer(), Objects.requireNonNull(arrived.key()), why));
    if (guard.options().onStoreFailure() == OnStoreFailure.DELIVER) {
      handOutUnchecked(arrived);
    } else {
      if (arrived.age(guard.time().nanoTime()).compareTo(guard.options().storePatience()) >= 0) {
        guard.pauseAll(why);
      }
      guard.again(arrived, events, () -> begin(arrived)); // unless it is given back
    }
  }

  /** Of a message that waits for the store. */
  Optional<MessageKey> waitingForStore() {
    return outgoing.open().stream()
        .filter(one -> one.handling != null)
        .filter(one -> one.stage == Stage.WAITING || one.stage == Stage.ASKED)
        .map(one -> Objects.requireNonNull(one.key()))
        .findFirst();
  }

  private void handOut(Arrival arrived) {
    arrived.stage = Stage.READY;
    ready.add(arrived);
    handing.execute(this::showNext);
  }

  // Where consumers are called

  private void showNext() {
    Arrival next = ready.poll();
    if (next == null) {
      return; // given back
    }
    if (closing) {
      events.execute(() -> requeue(next));
    } else if (next.subscription().isCancelled()) {
      events.execute(() -> notTaken(next));
    } else {
      calling = Thread.currentThread();
      try {
        show(next);
      } finally {
        calling = null;
      }
    }
  }

  /** Completes when no consumer is being called; at once for the one that is. */
  CompletableFuture<Void> consumerReturned() {
    CompletableFuture<Void> returned = new CompletableFuture<>();
    if (Thread.currentThread() == calling) {
      returned.complete(null);
    } else {
      handing.execute(() -> returned.complete(null));
    }
    return returned;
  }

  private void show(Arrival arrived) {
    Subscription to = arrived.subscription();
    handedOut.add(arrived, !use.reportsStart());
    if (arrived.lost && handedOut.take(arrived)) { // in between
      events.execute(() -> requeue(arrived));
      return;
    }
    Handling handling = arrived.handling;
    if (to.terms().autoAck() && handling != null) {
      refuse(arrived, handling);
      return;
    }
    Duration lateness = arrived.attempts() == 0 ? guard.lateness(arrived) : null;
    guard
        .listener()
        .onEvent(
            new ConsumerEvent.Delivered(
                to.settlesAs(), arrived.key(), guard.route(arrived), lateness));
    try {
      to.handOut(arrived.forConsumer());
    } catch (IOException | RuntimeException | Error e) { // must not end the thread under others
      LOG.error("The consumer of {} failed with {}", to.queue(), arrived, e);
      arrived.problem = e;
      say(arrived, Disposition.REQUEUE);
      return;
    }
    if (to.terms().autoAck()) {
      say(arrived, Disposition.ACK);
    }
  }

  /** Not tried again: that would be refused, too. */
  private void refuse(Arrival arrived, Handling handling) {
    String refusal =
        "'%s' is consumed with automatic acknowledgement, and %s is tracked: it would be lost"
                .formatted(arrived.subscription().queue(), arrived)
            + " if this consumer died. Acknowledge it, or use a route without tracking";
    LOG.error(refusal);
    answer(arrived, () -> rule.failed(arrived, handling, new IllegalStateException(refusal)));
  }

  // What its consumer says, on any thread

  /** False if it has been answered for. */
  boolean say(Arrival arrived, Disposition said) {
    return answer(arrived, () -> rule.said(arrived, said));
  }

  /**
   * Its consumer answers for it; false if it had before. Where what it says fails, it has still to
   * answer: nobody else would, and its lease would be renewed for ever.
   */
  boolean answer(Arrival arrived, Supplier<Answer> said) {
    if (!handedOut.take(arrived)) {
      return false;
    }
    Handling handling = arrived.handling;
    if (handling != null && arrived.settling) {
      arrived.stage = Stage.ENDING;
      guard.end(
          Ending.settledIn(handling),
          isWaitedFor(),
          end -> events.execute(() -> looked(arrived, handling, said, end)));
      return true;
    }
    Answer answer;
    try {
      answer = said.get();
    } catch (RuntimeException | Error e) {
      handedOut.putBack(arrived);
      throw e;
    }
    record(arrived, answer);
    return true;
  }

  /** Has it come again as its route says; false if that says no more, and nothing is done. */
  boolean retry(Arrival arrived, Throwable cause) {
    if (!rule.hasRetry(arrived)) {
      return false;
    }
    answer(arrived, () -> rule.retried(arrived, cause)); // or it was answered before
    return true;
  }

  /**
   * Settles it in a transaction of its consumer's; nothing without a row.
   *
   * @throws OvertakenException if somebody else has taken it over
   */
  void settleIn(Arrival arrived, Object transaction) {
    Handling handling = arrived.handling;
    if (handling != null) {
      guard.leases().settling(handling);
      boolean settled = guard.settleIn(transaction, handling);
      arrived.settling = true;
      if (!settled) {
        throw new OvertakenException(handling.key());
      }
    }
  }

  /** Its row says what became of the transaction in which its consumer has settled it. */
  private void looked(
      Arrival arrived, Handling handling, Supplier<Answer> said, @Nullable Ended end) {
    if (end != Ended.OVERTAKEN) {
      leave(arrived, true);
      tellSettled(arrived, handling, end);
      tell(arrived, end == null ? Disposition.REQUEUE : Disposition.ACK);
      return;
    }
    arrived.notCommitted = true;
    Answer answer = Answer.toStore(Ending.requeue(handling, null), Disposition.REQUEUE);
    try {
      answer = said.get();
    } finally { // nobody is there to say something else
      record(arrived, answer);
    }
  }

  private void record(Arrival arrived, Answer answer) {
    arrived.stage = Stage.ENDING;
    Ending ending = answer.ending();
    if (ending == null) {
      events.execute(() -> endedWithoutRow(arrived, answer));
    } else {
      guard.end(
          ending, isWaitedFor(), end -> events.execute(() -> ended(arrived, answer, ending, end)));
    }
  }

  /** By a close, or by the consumer, which has nothing else to handle. */
  private boolean isWaitedFor() {
    return closing
        || handedOut.isEmpty()
            && ready.isEmpty()
            && (lookAhead.isFull() || prefetch > 0 && outgoing.size() >= prefetch);
  }

  // Until the broker is answered

  private void endedWithoutRow(Arrival arrived, Answer answer) {
    Delivery copy = answer.copy();
    leave(arrived, true);
    if (copy == null) {
      tell(arrived, answer.said());
    } else {
      sender.hold(arrived, copy, answer.until(), false);
    }
  }

  private void ended(Arrival arrived, Answer answer, Ending ending, @Nullable Ended end) {
    leave(arrived, true);
    boolean applied = end == Ended.APPLIED;
    Disposition said = answer.said();
    switch (ending.kind()) {
      case SETTLE, SETTLED_IN -> {
        tellSettled(arrived, ending.handling(), end);
        tell(arrived, end == null ? Disposition.REQUEUE : said);
      }
      case FAIL -> { // taken over, or not known to have failed: another look will tell
        boolean known = applied || end == Ended.OVERTAKEN && said == Disposition.ACK;
        tell(arrived, known ? said : Disposition.REQUEUE);
      }
      case REQUEUE -> tell(arrived, said);
      case POSTPONE, PARK -> {
        tell(arrived, applied ? Disposition.ACK : Disposition.REQUEUE);
        answer.then().accept(applied);
      }
    }
  }

  private void tellSettled(Arrival arrived, Handling handling, @Nullable Ended end) {
    String consumer = arrived.consumer();
    if (end == null) {
      LOG.warn("{} was handled, but could not be settled; it is handled again", handling.key());
    } else if (end == Ended.APPLIED) {
      guard.listener().onEvent(new ConsumerEvent.Settled(consumer, handling.key()));
    } else {
      LOG.warn("{} was handled by {} too late: it was taken over", handling.key(), consumer);
      guard.listener().onEvent(new ConsumerEvent.Overtaken(consumer, handling.key()));
    }
  }

  private void tell(Arrival arrived, Disposition said) {
    switch (said) {
      case ACK -> outgoing.acknowledge(arrived);
      case REJECT -> outgoing.reject(arrived, false);
      case REQUEUE -> outgoing.reject(arrived, true);
    }
  }

  /** The message is no longer begun, so that another may be. */
  private void leave(Arrival arrived, boolean handled) {
    guard.leases().keepNoLonger(arrived.handling);
    lookAhead.leave(arrived, handled);
    lookAhead.next().forEach(this::begin);
  }

  // What goes back unhandled

  /**
   * Requeues messages that no consumer has. Those that are begun are requeued in the store first,
   * so that the next consumer finds them free, and need not skip them as busy.
   */
  void giveBack(Predicate<Arrival> which) {
    for (Arrival one : outgoing.open()) {
      if (which.test(one)) {
        giveBack(one);
      }
    }
    lookAhead.next().forEach(this::begin);
  }

  private void giveBack(Arrival arrived) {
    switch (arrived.stage) {
      case WAITING -> {
        lookAhead.leave(arrived, false);
        outgoing.returnToQueue(arrived);
      }
      case ASKED -> {
        lookAhead.leave(arrived, false);
        arrived.stage = Stage.RETURNING;
      }
      case READY -> {
        if (ready.remove(arrived)) {
          requeue(arrived);
        }
      }
      case HANDLED, ENDING, RETURNING, OVER -> {}
    }
  }

  private void requeue(Arrival arrived) {
    Handling handling = arrived.handling;
    lookAhead.leave(arrived, false);
    if (handling == null) {
      outgoing.returnToQueue(arrived);
    } else {
      guard.leases().keepNoLonger(handling);
      arrived.stage = Stage.RETURNING;
      guard.end(
          Ending.requeue(handling, null),
          true,
          end -> events.execute(() -> outgoing.returnToQueue(arrived)));
    }
  }

  /**
   * Requeues soon a message whose consumer was cancelled before it got the message, with others
   * that no consumer has by then.
   */
  void notTaken(Arrival arrived) {
    arrived.stage = Stage.RETURNING;
    lookAhead.leave(arrived, false);
    if (!guard.later(BEFORE_GIVING_BACK, () -> events.execute(() -> requeue(arrived)))) {
      requeue(arrived);
    }
  }

  /** Requeues the messages that wait for the store, whatever it would answer. */
  void giveUp() {
    for (Arrival one : outgoing.open()) {
      if (one.stage == Stage.ENDING || one.stage == Stage.RETURNING) {
        outgoing.returnToQueue(one);
      }
    }
  }

  /**
   * The connection is lost, and the broker gives these messages to others. A consumer that skips
   * one as busy notes that in the row, which sends it again on a requeue.
   */
  void lost() {
    for (Arrival one : outgoing.open()) {
      one.lost = true;
      if (one.stage != Stage.HANDLED) {
        giveBack(one);
      } else if (handedOut.takeUnstarted(one)) {
        requeue(one);
      } else {
        keepFor(one, one.running() || !use.reportsStart() ? LEASES_AFTER_LOSS : 0);
      }
    }
    outgoing.lost();
    lookAhead.next().forEach(this::begin);
  }

  /** The broker has cancelled it, since its queue is gone, or a handler has taken too long. */
  void stopped(Subscription subscription) {
    giveBack(one -> one.subscription() == subscription);
    outgoing.open().stream()
        .filter(one -> one.subscription() == subscription && one.stage == Stage.HANDLED)
        .forEach(one -> keepFor(one, LEASES_AFTER_LOSS));
  }

  /** Lets its handler run on for so many leases. One that hangs must not keep it for ever. */
  private void keepFor(Arrival one, int leases) {
    guard.later(
        guard.options().handlingLease().multipliedBy(leases),
        () -> guard.leases().keepNoLonger(one.handling));
  }

  /** False if it was given back in between, and must not be worked on. */
  boolean started(Arrival arrived) {
    if (!handedOut.started(arrived)) {
      return false;
    }
    arrived.run.set(Arrival.HandlerState.RUNNING);
    return true;
  }

  /** Its handler has returned; it may answer later. */
  void returned(Arrival arrived, boolean thrown) {
    Arrival.HandlerState before = arrived.run.getAndSet(Arrival.HandlerState.NONE);
    Disposition pendingAnswer = before.pendingAnswer();
    if (pendingAnswer != null) {
      boolean recovered = before.rolledBack() && arrived.problem != null && !thrown;
      say(arrived, recovered ? Disposition.ACK : pendingAnswer);
    }
    if (arrived.lost && arrived.stage == Stage.HANDLED) {
      guard.leases().keepNoLonger(arrived.handling);
    }
  }
}
