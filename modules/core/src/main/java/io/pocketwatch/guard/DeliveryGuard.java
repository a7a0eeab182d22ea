// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.guard.GuardDecision.Basis;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Reason;
import io.pocketwatch.guard.GuardDecision.Skip;
import io.pocketwatch.guard.GuardDecision.Wait;
import io.pocketwatch.internal.Threads;
import io.pocketwatch.store.Beginning;
import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Ended;
import io.pocketwatch.store.Ending;
import io.pocketwatch.store.HandOver;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before the handlers of delayed messages: skips what was cancelled, rescheduled or settled
 * before, holds again what came early or is being handled elsewhere, and waits while the store does
 * not answer. Thread-safe; one serves any number of queues.
 *
 * <p>Work is done <em>at least once, repeated only if the consumer dies, or is cut off from the
 * database for longer than {@code handling-lease}, between its effect and the settle</em>. Where
 * the handler settles in the transaction of its effect, the effect happens once.
 */
public final class DeliveryGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryGuard.class);

  private static final Duration BEFORE_RETURN = Duration.ofSeconds(1);

  /** A consumer beyond those that a route expects. */
  private record Unexpected(String route, String consumer) {}

  private final SettlingStore store;
  private final HandOver handOver;
  private final GuardOptions options;
  private final GuardListener listener;
  private final UnknownMessages unknown = new UnknownMessages();
  private final LastReturns lastReturns = new LastReturns();

  /** Warned about once. */
  private final Set<Unexpected> unexpected = ConcurrentHashMap.newKeySet();

  private final CountDownLatch closed = new CountDownLatch(1);
  private final StoreCalls<Beginning, Begun> begins;
  private final StoreCalls<Ending, Ended> endings;
  private final Leases leases;
  private final StoreAway storeAway;
  private final Set<GuardedConsumer> consumers = ConcurrentHashMap.newKeySet();

  /** For handlers, and for answers to the broker. */
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Threads.named("pocketwatch-guard"));

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("pocketwatch-guard-timer"));

  /**
   * @param store where its messages' rows are; not closed with the guard
   * @param handOver of a publisher on the same broker and store, to hold messages again
   * @param listener is told what happens
   */
  public DeliveryGuard(
      SettlingStore store, HandOver handOver, GuardOptions options, GuardListener listener) {
    this.store = Objects.requireNonNull(store, "store");
    this.handOver = Objects.requireNonNull(handOver, "handOver");
    this.options = Objects.requireNonNull(options, "options");
    this.listener = Objects.requireNonNull(listener, "listener");
    this.storeAway = new StoreAway(store, (pause, task) -> later(pause, () -> run(task)));
    this.begins =
        new StoreCalls<>(
            "pocketwatch-guard-begin", asked -> asked.handling().key(), this::beginAll);
    this.endings =
        new StoreCalls<>("pocketwatch-guard-end", asked -> asked.handling().key(), store::end);
    this.leases = new Leases(store, options.handlingLease());
  }

  private List<Begun> beginAll(List<Beginning> copies) {
    List<Begun> answers = store.begin(copies, options.handlingLease());
    storeAway.answers();
    return answers;
  }

  public DeliveryGuard(SettlingStore store, HandOver handOver, GuardOptions options) {
    this(store, handOver, options, GuardListener.NONE);
  }

  /**
   * Consumes a queue, each message acknowledged by the guard when its work is done or not to be
   * done; never acknowledged automatically. Handlers run on threads of the guard, those of one
   * channel one after another. Nobody waits for the store: what one channel has been sent is begun
   * and settled together with what all others have.
   *
   * @param channel one of its own; its prefetch is set to that of the options
   * @return to be closed to consume no more
   * @throws IllegalArgumentException if the store cannot keep the name it would settle under
   */
  public GuardedConsumer consume(Channel channel, String queue, GuardedHandler handler)
      throws IOException {
    return consume(channel, queue, Map.of(), handler);
  }

  /** As {@link #consume(Channel, String, GuardedHandler)}, with arguments for the broker. */
  public GuardedConsumer consume(
      Channel channel, String queue, Map<String, Object> arguments, GuardedHandler handler)
      throws IOException {
    GuardedConsumer consumer = new GuardedConsumer(this, channel, queue, arguments, handler);
    channel.basicQos(options.prefetch());
    channel.basicConsume(queue, false, arguments, consumer);
    consumers.add(consumer);
    return consumer;
  }

  /**
   * Decides once. A {@link Deliver} with a handling has begun it: settle, fail or abandon it.
   *
   * @param queue where it was consumed
   * @param properties as they arrived
   */
  public GuardDecision decide(String queue, BasicProperties properties) {
    Tracked tracked = Tracked.of(properties);
    Instant deliverAt = Tracked.deliverAt(properties);
    if (deliverAt != null && early(deliverAt, tracked != null)) {
      return new HoldAgain(deliverAt, Reason.EARLY);
    }
    return tracked == null
        ? new Deliver(Basis.UNTRACKED, null)
        : begin(consumer(queue), tracked.key(), tracked.generation());
  }

  /** Whether it is too early for what is due then. */
  boolean early(Instant deliverAt, boolean tracked) {
    return deliverAt.minus(options.earlyTolerance()).isAfter(now(tracked));
  }

  private GuardDecision begin(String consumer, MessageKey key, int generation) {
    Handling handling = handling(key, consumer);
    Begun begun;
    try {
      begun = begins.ask(new Beginning(handling, generation));
    } catch (RuntimeException e) { // whatever it is: nothing is known of the message
      tell(to -> to.storeUnreachable(consumer, key, e));
      return options.onStoreFailure() == OnStoreFailure.DELIVER
          ? new Deliver(Basis.UNCHECKED, null)
          : new Wait(e);
    }
    return switch (begun.verdict()) {
      case HANDLE -> {
        if (begun.unexpected()) {
          unexpected(consumer, key);
        }
        yield new Deliver(Basis.TRACKED, handling);
      }
      case SETTLED, CANCELLED, OUTDATED -> new Skip(begun.verdict());
      case BUSY -> new HoldAgain(Objects.requireNonNull(begun.busyUntil()), Reason.BUSY);
      case LOCKED -> new Wait(new StoreException("somebody else has locked the row of " + key));
      case UNKNOWN -> {
        unknown(consumer, key);
        yield new Deliver(Basis.UNKNOWN, null);
      }
    };
  }

  void unknown(String consumer, MessageKey key) {
    if (unknown.add(key) == 1) {
      LOG.warn("{} is not in the store; it is handled all the same, as others may be", key);
    }
    tell(to -> to.unknown(consumer, key));
  }

  void unexpected(String consumer, MessageKey key) {
    if (unexpected.add(new Unexpected(key.route(), consumer))) {
      LOG.warn(
          "Consumer '{}' handles {}, which other consumers have settled already. Route '{}' expects"
              + " fewer consumers than there are: raise its 'consumers', or cancel and recovery"
              + " forget this one.",
          consumer,
          key,
          key.route());
    }
    tell(to -> to.unexpected(consumer, key));
  }

  /** A handling that nobody has begun yet. */
  static Handling handling(MessageKey key, String consumer) {
    return new Handling(key, consumer, UUID.randomUUID().toString());
  }

  /** Asks to begin it, with whatever else is to be begun now. */
  void begin(
      Handling wanted,
      int generation,
      BiConsumer<@Nullable Begun, @Nullable RuntimeException> then) {
    begins.ask(new Beginning(wanted, generation), then);
  }

  /**
   * Ends a handling, with whatever else is to be ended now; for as long as this is open, until the
   * store answers.
   */
  void end(Ending ending, Consumer<HandlingEnd> then) {
    end(ending, Patience.FIRST, then);
  }

  private void end(Ending ending, Duration pause, Consumer<HandlingEnd> then) {
    endings.ask(
        ending,
        (ended, problem) -> {
          if (ended != null && ended != Ended.LOCKED) {
            then.accept(known(ended));
            return;
          }
          if (problem != null) {
            unanswered(ending.handling(), problem);
          }
          if (!later(pause, () -> end(ending, Patience.longer(pause), then))) {
            then.accept(HandlingEnd.NO_ANSWER);
          }
        });
  }

  private static HandlingEnd known(Ended ended) {
    return ended == Ended.APPLIED ? HandlingEnd.APPLIED : HandlingEnd.OVERTAKEN;
  }

  private void unanswered(Handling handling, RuntimeException problem) {
    LOG.debug("The store does not answer for {}", handling.key(), problem);
    tell(to -> to.storeUnreachable(handling.consumer(), handling.key(), problem));
  }

  /** False if this is closed, and the task is not run. */
  boolean later(Duration pause, Runnable task) {
    try {
      ScheduledFuture<?> unused = timer.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  Serial serial() {
    return new Serial(this::run);
  }

  /** On the caller's thread when this is closed: what was handled is still acknowledged. */
  private void run(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  Leases leases() {
    return leases;
  }

  Ending postponed(Handling handling, Instant until, String reason) {
    return Ending.postpone(handling, until, handOver.epoch().orElse(null), reason);
  }

  /** Has a consumer consume again when the store answers. */
  void awaitStore(GuardedConsumer consumer, MessageKey waiting) {
    storeAway.add(consumer, waiting);
  }

  void closed(GuardedConsumer consumer) {
    consumers.remove(consumer);
  }

  /**
   * Decides, and while the store does not answer asks again at growing intervals.
   *
   * @param patience for how long; zero for a single attempt
   * @param wanted whether anyone still waits for the answer; asked ten times a second
   * @return {@link Wait} only if the patience ended, nobody waits, or this guard was closed
   */
  public GuardDecision decide(
      String queue, BasicProperties properties, Duration patience, BooleanSupplier wanted) {
    Patience pauses = new Patience(patience, wanted, closed);
    GuardDecision decision = decide(queue, properties);
    if (decision instanceof Wait wait && !patience.isZero()) {
      LOG.warn(
          "The store does not answer; messages of {} wait: {}", queue, wait.cause().toString());
    }
    while (decision instanceof Wait && pauses.pause()) {
      decision = decide(queue, properties);
    }
    return decision;
  }

  /**
   * Settles a handling whose work is done; at growing intervals until the store answers, for as
   * long as the options' patience.
   *
   * @param wanted whether anyone still waits for the answer
   */
  public HandlingEnd settle(Handling handling, BooleanSupplier wanted) {
    return end(Ending.settle(handling), wanted);
  }

  /** Records that a handling's work is not done, and releases it; asks as {@link #settle} does. */
  public HandlingEnd fail(Handling handling, Throwable cause, BooleanSupplier wanted) {
    return end(Ending.fail(handling, cause.toString()), wanted);
  }

  /** Gives a message up, for a human to look at, and releases it; asks as {@link #settle} does. */
  public HandlingEnd park(Handling handling, String reason, BooleanSupplier wanted) {
    return end(Ending.park(handling, reason), wanted);
  }

  /**
   * Records that a handling's work is not done, and releases it until its next try; asks as {@link
   * #settle} does. The caller then holds its message again until that instant: in this order, for
   * if the broker's disk is lost meanwhile, the row brings the message back.
   */
  public HandlingEnd postpone(
      Handling handling, Instant until, String reason, BooleanSupplier wanted) {
    return end(postponed(handling, until, reason), wanted);
  }

  /**
   * Releases a handling whose work was not begun, or is to be done again at once; what the row says
   * of the message stays. Asks as {@link #settle} does.
   */
  public HandlingEnd abandon(Handling handling, BooleanSupplier wanted) {
    return end(Ending.release(handling, null), wanted);
  }

  private HandlingEnd end(Ending ending, BooleanSupplier wanted) {
    Handling handling = ending.handling();
    Patience pauses = new Patience(options.storePatience(), wanted, closed);
    do {
      try {
        Ended ended = endings.ask(ending);
        if (ended != Ended.LOCKED) {
          return known(ended);
        }
      } catch (RuntimeException e) {
        unanswered(handling, e);
      }
    } while (pauses.pause());
    LOG.warn("The store did not say whether the handling of {} has ended", handling.key());
    return HandlingEnd.NO_ANSWER;
  }

  /** Keeps a handling's lease from running out, until closed. */
  public KeptLease keepLease(@Nullable Handling handling) {
    if (handling != null) {
      leases.keep(handling);
    }
    return new KeptLease(leases, handling);
  }

  /**
   * Puts a message back on hold; see {@link HandOver#holdAgain}. While the broker does not take it
   * tries again: a queue that gets a message back counts, and drops what was returned too often.
   *
   * @param until on the clock it was judged by, {@link #now}
   * @param patience for how long to try; zero for a single attempt
   * @param wanted whether the received copy is still there to be held again
   * @return why it is not held; empty if it is, and the received copy may be acknowledged
   * @throws InvalidMessageException if it can never be held, as no message that was sent through
   *     Pocketwatch
   */
  public Optional<String> holdAgain(
      String queue, Delivery received, Instant until, Duration patience, BooleanSupplier wanted) {
    if (!wanted.getAsBoolean()) {
      return Optional.of("it is no longer there to be held again");
    }
    Patience pauses = new Patience(patience, wanted, closed);
    String problem;
    do {
      try {
        PublishReceipt receipt = handOver.holdAgain(queue, received, then(received, until)).join();
        if (receipt.confirmed()) {
          return Optional.empty();
        }
        problem = receipt.outcome() + " " + receipt.detail();
      } catch (RuntimeException e) {
        if (invalid(e) instanceof InvalidMessageException never) {
          throw never;
        }
        return Optional.of(e.toString()); // that publisher is closed
      }
    } while (pauses.pause());
    return Optional.of(problem);
  }

  private static @Nullable Throwable invalid(Throwable e) {
    return e instanceof CompletionException ? e.getCause() : e;
  }

  /** Puts a message back on hold once, and tells why it is not held; null if it is. */
  void holdAgain(
      String queue, Delivery received, Instant until, Consumer<@Nullable Throwable> then) {
    CompletableFuture<PublishReceipt> held;
    try {
      held = handOver.holdAgain(queue, received, then(received, until));
    } catch (RuntimeException e) {
      then.accept(e);
      return;
    }
    CompletableFuture<PublishReceipt> unused =
        held.whenComplete(
            (receipt, problem) -> {
              if (problem != null) {
                then.accept(invalid(problem));
              } else {
                String why = receipt.outcome() + " " + receipt.detail();
                then.accept(receipt.confirmed() ? null : new IllegalStateException(why));
              }
            });
  }

  /**
   * Has a message that broke a consumer's connection taken out of its queue; see {@link
   * HandOver#removeUnreadable}. Does nothing if the connection ended otherwise.
   *
   * @param signal with which the connection ended
   */
  public void connectionLost(String queue, ShutdownSignalException signal) {
    if (TolerantConnection.brokenByMessage(signal)) {
      LOG.warn("A message of {} broke the connection of its consumer", queue);
      handOver.removeUnreadable(queue);
    }
  }

  /** Judged by this machine's clock, and held by the store's: what counts is how long. */
  private Instant then(Delivery received, Instant until) {
    if (Tracked.of(received.getProperties()) != null) {
      return until;
    }
    Duration left = Duration.between(now(false), until);
    return handOver.now().plus(left.isNegative() ? Duration.ZERO : left);
  }

  /** What was delivered although the store did not know it. */
  public UnknownMessages unknown() {
    return unknown;
  }

  public GuardOptions options() {
    return options;
  }

  /** What was given back by those who walk messages through this guard. */
  public LastReturns lastReturns() {
    return lastReturns;
  }

  /** The name messages of that queue are settled under. */
  public String consumer(String queue) {
    return options.consumer() == null ? queue : options.consumer();
  }

  /**
   * {@link #consumer}, for those who are about to consume: with a name that no store keeps, every
   * tracked message would wait for ever.
   *
   * @throws IllegalArgumentException if it is one
   */
  public String requireConsumer(String queue) {
    return GuardOptions.requireConsumer(consumer(queue));
  }

  /**
   * Now, on the clock a message is judged by.
   *
   * @param tracked whether it has a row
   */
  public Instant now(boolean tracked) {
    return tracked ? handOver.now() : options.clock().instant();
  }

  /**
   * Waits before a message that could not be held again goes back to its queue: a second, and where
   * one more return may have it dropped, until it was to come again.
   *
   * @param until on the clock it was judged by
   * @param patience for how long to wait for that, at most
   * @param wanted whether the received copy is still there to be returned
   */
  public void pauseBeforeReturn(
      Delivery received, Instant until, Duration patience, BooleanSupplier wanted) {
    pause(beforeReturn(received.getProperties(), until, patience), wanted);
  }

  Duration beforeReturn(BasicProperties properties, Instant until, Duration patience) {
    if (!Returns.many(properties)) {
      return BEFORE_RETURN;
    }
    Duration left = Duration.between(now(Tracked.of(properties) != null), until);
    Duration pause = left.compareTo(patience) < 0 ? left : patience;
    return pause.compareTo(BEFORE_RETURN) < 0 ? BEFORE_RETURN : pause;
  }

  /** Waits, until nobody waits any more or this guard is closed; asks ten times a second. */
  public void pause(Duration length, BooleanSupplier wanted) {
    Patience pauses = new Patience(length, wanted, closed);
    while (pauses.pause()) {
      // until the length is over
    }
  }

  /** Tells the listener what one that walks messages through this guard did with one of them. */
  public void tell(Consumer<GuardListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException | LinkageError e) { // one of another version, perhaps
      LOG.warn("A guard listener failed", e);
    }
  }

  /**
   * Closes its consumers, ends waits and renews no more leases. What was handled by now is settled,
   * as far as that takes a few seconds; handlers that run are left to end.
   */
  @Override
  public void close() {
    for (GuardedConsumer consumer : consumers) {
      try {
        consumer.close();
      } catch (IOException | RuntimeException e) {
        LOG.debug("The channel of {} is gone", consumer.getConsumerTag(), e);
      }
    }
    closed.countDown();
    begins.close();
    endings.close();
    timer.shutdownNow();
    leases.close();
    threads.shutdown();
  }
}
