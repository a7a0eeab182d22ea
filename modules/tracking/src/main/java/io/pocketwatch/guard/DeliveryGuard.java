// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.Arrival.Stage;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import io.pocketwatch.guard.GuardedConsumer.GuardedHandler;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.handoff.Holding;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Ranges;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.handoff.BrokerHolding;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guard before the handlers of delayed messages. It skips messages that were cancelled,
 * rescheduled or settled, or are being handled elsewhere. Early ones are held again by the broker,
 * or sent again by their row. While the store does not answer, messages wait. Thread-safe; one
 * guard serves any number of queues.
 *
 * <p>Work is done <em>at least once</em>. It is repeated only if the consumer dies, or loses the
 * database for longer than {@code handling-lease}, between its effect and the settle. Where the
 * handler settles in the transaction of its effect, the effect happens once.
 */
public final class DeliveryGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryGuard.class);
  private static final Duration FIRST_EARLY = Duration.ofMinutes(1);

  private static final Duration BEFORE_NEXT_THREAD = Duration.ofSeconds(1);

  /** The wait for running handlers, when the guard or a consumer is closed. */
  static final Duration LAST_HANDLERS = Duration.ofSeconds(10);

  /** The wait until handled messages are settled and acknowledged, after that. */
  static final Duration LAST_ANSWERS = Duration.ofSeconds(10);

  /** Short, since consumers wait for a begin; nobody waits for a settle. */
  private static final Duration BETWEEN_BEGINS = Duration.ofMillis(3);

  private static final Duration BETWEEN_ENDS = Duration.ofMillis(50);

  private final SettlingStore store;
  private final Holding holding;
  private final GuardOptions options;
  private final Scheduler time;
  private final PocketwatchListener listener;

  private final StoreCalls<Beginning, Begun> begins;
  private final StoreCalls<Ending, Ended> endings;
  private final Leases leases;
  private final StoreOutage storeAway;
  private final AtomicBoolean warnedUnknown = new AtomicBoolean();
  private final AtomicBoolean warnedUnchecked = new AtomicBoolean();
  private final AtomicBoolean pausing = new AtomicBoolean();
  private final Set<ChannelGuard> channels =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /** Run handlers, and the events of channels. */
  private final ExecutorService threads;

  private final ScheduledExecutorService timer;

  /**
   * A guard for consumers of this publisher's messages, with its store, its listener and its
   * prefix. Without a store messages with a row are handled unchecked. Early ones are held again.
   *
   * @return to be closed by the caller, before the publisher
   */
  public static DeliveryGuard of(DelayedPublisher publisher, GuardOptions options) {
    DelayRoutes routes = publisher.routes();
    GuardOptions named = options.toBuilder().namePrefix(routes.hold().namePrefix()).build();
    PocketwatchListener listener = publisher.unwrap(PocketwatchListener.class);
    return publisher instanceof TrackedPublisher tracked
        ? new DeliveryGuard(
            tracked.unwrap(DelayStore.class), tracked.unwrap(HandOff.class), named, listener)
        : withoutStore(
            new BrokerHolding(publisher.unwrap(Planning.class), routes), named, listener);
  }

  /**
   * Makes a guard that outlives its publisher or has a listener of its own; others take {@link
   * #of}.
   *
   * @param store the store of the messages' rows, which the guard does not close
   * @param holding of a publisher on the same broker and store, to hold messages again
   * @param listener receives the guard's events
   */
  public DeliveryGuard(
      SettlingStore store, Holding holding, GuardOptions options, PocketwatchListener listener) {
    this(store, holding, options, listener, Scheduler.SYSTEM);
  }

  DeliveryGuard(
      SettlingStore store,
      Holding holding,
      GuardOptions options,
      PocketwatchListener listener,
      Scheduler time) {
    this.store = Objects.requireNonNull(store, "store");
    this.holding = Objects.requireNonNull(holding, "holding");
    this.options = Objects.requireNonNull(options, "options");
    this.listener = PocketwatchListener.all(List.of(listener));
    this.time = time;
    this.threads = time.threads("pocketwatch-guard", Integer.MAX_VALUE);
    this.timer = time.timer("pocketwatch-guard-timer", 1);
    this.storeAway = new StoreOutage(store, (pause, task) -> later(pause, () -> run(task)));
    this.begins =
        new StoreCalls<>(
            time,
            "pocketwatch-guard-begin",
            BETWEEN_BEGINS,
            asked -> asked.handling().key(),
            this::beginAll);
    this.endings =
        new StoreCalls<>(
            time,
            "pocketwatch-guard-end",
            BETWEEN_ENDS,
            asked -> asked.handling().key(),
            store::end);
    this.leases = new Leases(store, options.handlingLease(), time);
  }

  /**
   * Makes a guard without a store. Messages with a row are handled unchecked. Messages that come
   * early, or are deferred, are held again by the broker.
   *
   * @param holding of a publisher on the same broker
   */
  public static DeliveryGuard withoutStore(
      Holding holding, GuardOptions options, PocketwatchListener listener) {
    return new DeliveryGuard(new NoStore(), holding, options, listener);
  }

  /** Whether this guard can check messages. */
  boolean hasStore() {
    return !(store instanceof NoStore);
  }

  /** Where its time and its threads come from. */
  Scheduler time() {
    return time;
  }

  private List<Begun> beginAll(List<Beginning> copies) {
    List<Begun> answers = store.begin(copies, options.handlingLease());
    storeAway.answers();
    return answers;
  }

  /**
   * Consumes a queue. The guard acknowledges each message when its work is done or not to be done;
   * the broker never does so automatically. Handlers run on threads of the guard, those of one
   * channel one after another. No thread waits for the store: the messages of all channels are
   * begun and settled together, in batches.
   *
   * @param channel a channel for this consumer alone; its prefetch is set to that of the options
   * @return the consumer; close it to stop consuming
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
    requireConsumer(queue);
    channel.basicQos(options.prefetch());
    ChannelGuard guarding = guarding(channel, ChannelUse.plain());
    guarding.prefetch(options.prefetch());
    return new GuardedConsumer(this, guarding, queue, arguments, handler);
  }

  /**
   * Puts the guard in front of a channel, for consumers of any kind.
   *
   * @param channel a channel for these consumers alone, not in AMQP's transaction mode; the caller
   *     sets its prefetch
   */
  public GuardedChannel guard(Channel channel, ChannelUse use) {
    return GuardedChannelProxy.inFrontOf(guarding(channel, use));
  }

  private ChannelGuard guarding(Channel channel, ChannelUse use) {
    ChannelGuard guarding = new ChannelGuard(this, channel, use);
    channels.add(guarding);
    return guarding;
  }

  /** Whether it is too early to handle a message that is due at this instant. */
  boolean early(Instant deliverAt) {
    return deliverAt.minus(options.earlyTolerance()).isAfter(now());
  }

  /** How a message that came early is held again. */
  record Early(Delivery copy, Instant until) {}

  /**
   * How to hold an early message again: with a store until its instant. Without a store this
   * machine's clock may be the wrong one. So the message is held for a minute at first, and then
   * each time twice as long. That is not much longer than the clock was wrong, and not often where
   * it is the broker's.
   */
  Early heldEarly(Delivery received, Instant until) {
    if (hasStore()) {
      return new Early(received, until);
    }
    int before = RequeuedHold.early(received.getProperties());
    Instant step = now().plus(FIRST_EARLY.multipliedBy(1L << before));
    return new Early(RequeuedHold.heldEarly(received), step.isBefore(until) ? step : until);
  }

  /** The lateness; null if the message was never delayed. */
  @Nullable Duration lateness(Arrival arrived) {
    Instant deliverAt = arrived.deliverAt();
    return deliverAt == null ? null : Duration.between(deliverAt, now());
  }

  /** Warns once that a message has a row which this guard cannot check. */
  void unchecked(String queue) {
    if (warnedUnchecked.compareAndSet(false, true)) {
      LOG.warn(
          "Messages with a row in a store arrive from {}, and no store is configured here: they are"
              + " handled unchecked and never settled",
          queue);
    }
  }

  void unknown(String consumer, MessageKey key) {
    if (warnedUnknown.compareAndSet(false, true)) {
      LOG.warn("{} is not in the store; it is handled all the same, as others may be", key);
    }
    listener.onEvent(new ConsumerEvent.Unknown(consumer, key));
  }

  /**
   * The consumers that are stopped, since their queues got messages of other consumers: one event
   * of each, by name. A consumer that consumes anew, or is closed, is no longer listed.
   */
  public List<OtherConsumer> stopped() {
    Map<String, OtherConsumer> byName = new TreeMap<>();
    channels().stream()
        .flatMap(ChannelGuard::withheld)
        .forEach(each -> byName.putIfAbsent(each.consumer(), each));
    return List.copyOf(byName.values());
  }

  /** A new handling, not begun yet. */
  Handling handling(MessageKey key, String consumer) {
    return new Handling(key, consumer, UUID.randomUUID().toString());
  }

  /** Asks the store to begin a handling, in a batch with others. */
  void begin(Beginning wanted, BiConsumer<@Nullable Begun, @Nullable RuntimeException> then) {
    begins.ask(wanted, false, then);
  }

  /**
   * Ends a handling, in a batch with others. Repeated until the store answers or the guard is
   * closed.
   *
   * @param now whether the end is waited for
   * @param then takes the result; null if the store did not answer, so that it is unknown
   */
  void end(Ending ending, boolean now, Consumer<@Nullable Ended> then) {
    end(ending, now, Backoff.FIRST, then);
  }

  private void end(Ending ending, boolean now, Duration pause, Consumer<@Nullable Ended> then) {
    endings.ask(
        ending,
        now,
        (ended, problem) -> {
          if (ended != null && ended != Ended.LOCKED) {
            then.accept(ended);
            return;
          }
          if (problem != null) {
            unanswered(ending.handling(), problem);
          }
          if (!later(pause, () -> end(ending, now, Backoff.longer(pause), then))) {
            then.accept(null);
          }
        });
  }

  /** Asks the store on the caller's thread: it is the caller's transaction. */
  boolean settleIn(Object transaction, Handling handling) {
    return store.settleIn(transaction, handling);
  }

  /** Writes all endings now, since they are waited for. */
  void hurry() {
    endings.hurry();
  }

  private void unanswered(Handling handling, RuntimeException problem) {
    LOG.debug("The store does not answer for {}", handling.key(), problem);
    listener.onEvent(
        new ConsumerEvent.StoreUnreachable(handling.consumer(), handling.key(), problem));
  }

  /** Runs the task after the pause; false if the guard is closed, and the task will not run. */
  boolean later(Duration pause, Runnable task) {
    try {
      ScheduledFuture<?> unused = timer.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * Runs the task after a pause, twice as long each time, unless the message is requeued meanwhile.
   * False if the guard is closed.
   */
  boolean again(Arrival arrived, SerialExecutor events, Runnable task) {
    Duration pause = arrived.pause;
    arrived.pause = Backoff.longer(pause);
    arrived.stage = Stage.WAITING;
    return later(
        pause,
        () ->
            events.execute(
                () -> {
                  if (arrived.stage == Stage.WAITING) {
                    task.run();
                  }
                }));
  }

  /** Waits on close, for handlers to return or for the broker to be answered. */
  void await(CompletableFuture<Void> done, Duration patience) {
    try {
      time.await(done, patience);
    } catch (TimeoutException | ExecutionException e) {
      LOG.debug("Not all is answered for within {}", patience, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  SerialExecutor serial() {
    return new SerialExecutor(this::run);
  }

  /** On the caller's thread if this is closed: handled messages are still acknowledged. */
  private void run(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    } catch (
        OutOfMemoryError e) { // no thread is to be had; what waits in line must not wait for ever
      LOG.error("No thread can be started; the guard tries again", e);
      if (!later(BEFORE_NEXT_THREAD, () -> run(task))) {
        task.run();
      }
    }
  }

  Leases leases() {
    return leases;
  }

  /** The route of the message's row, or the one configured for its target. */
  String route(Arrival arrived) {
    MessageKey key = arrived.key();
    return key == null
        ? RequeuedHold.route(arrived.delivery(), holding.routes()).name()
        : key.route();
  }

  /** The pauses before the retries of a failed message. */
  List<Duration> retries(Delivery received, ChannelUse use) {
    List<Duration> configured = RequeuedHold.route(received, holding.routes()).retries();
    return configured == null ? use.retries() : configured;
  }

  /**
   * Stops the consumers of all channels that wait for the store, until it answers. All stop before
   * any requeues: a message requeued by one must not go to the next, which would requeue it, too.
   */
  void pauseAll(RuntimeException why) {
    if (!pausing.compareAndSet(false, true)) {
      return;
    }
    Map<ChannelGuard, MessageKey> paused = new ConcurrentHashMap<>();
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(
                channels().stream()
                    .map(
                        each ->
                            each.pause()
                                .thenAccept(
                                    waiting -> waiting.ifPresent(key -> paused.put(each, key))))
                    .toArray(CompletableFuture<?>[]::new))
            .thenRun(
                () -> {
                  paused.keySet().forEach(ChannelGuard::giveBackWaiting);
                  paused.forEach(storeAway::add);
                  pausing.set(false);
                  if (!paused.isEmpty()) {
                    LOG.warn(
                        "The store does not answer; messages of {} channels wait in their queues:"
                            + " {}",
                        paused.size(),
                        ErrorWords.of(why));
                  }
                });
  }

  private List<ChannelGuard> channels() {
    synchronized (channels) {
      return List.copyOf(channels);
    }
  }

  private CompletableFuture<Void> all(Function<ChannelGuard, CompletableFuture<Void>> each) {
    return CompletableFuture.allOf(
        channels().stream().map(each).toArray(CompletableFuture<?>[]::new));
  }

  static void requirePatience(Duration patience) {
    Duration unused = Ranges.within("patience", patience, "0s", "1d");
  }

  private static @Nullable Throwable unwrap(Throwable e) {
    return e instanceof CompletionException ? e.getCause() : e;
  }

  /** Tries once to put a message back on hold; {@code then} takes why it is not held, or null. */
  void holdAgain(
      String queue, Delivery received, Instant until, Consumer<@Nullable Throwable> then) {
    CompletableFuture<PublishReceipt> held;
    try {
      held = holding.holdAgain(queue, received, then(until));
    } catch (RuntimeException e) {
      then.accept(e);
      return;
    }
    CompletableFuture<PublishReceipt> unused =
        held.whenComplete(
            (receipt, problem) -> {
              if (problem != null) {
                then.accept(unwrap(problem));
              } else {
                String why = receipt.outcome() + " " + receipt.detail();
                then.accept(receipt.confirmed() ? null : new IllegalStateException(why));
              }
            });
  }

  /** Converts to the publisher's clock, which may differ from the guard's: the pause counts. */
  private Instant then(Instant until) {
    if (hasStore()) {
      return until;
    }
    Duration left = Duration.between(now(), until);
    return holding.now().plus(left.isNegative() ? Duration.ZERO : left);
  }

  public GuardOptions options() {
    return options;
  }

  /** The name under which messages of that queue are settled. */
  public String consumer(String queue) {
    return options.consumer() == null ? queue : options.consumer();
  }

  /**
   * As {@link #consumer}, but checks the name. With one that the store cannot keep, every tracked
   * message would wait for ever.
   *
   * @throws IllegalArgumentException if no store keeps the name
   */
  public String requireConsumer(String queue) {
    return GuardOptions.requireConsumer(consumer(queue));
  }

  /** The present time on the store's clock, or without a store on that of the options. */
  public Instant now() {
    return hasStore() ? holding.now() : options.clock().instant();
  }

  /** The listener to all events, which never throws. */
  PocketwatchListener listener() {
    return listener;
  }

  /** As {@link #close(Duration)}, for 10 s. */
  @Override
  public void close() {
    close(LAST_HANDLERS);
  }

  /**
   * Closes the consumers, and waits for running handlers. Then it waits some 10 s for handled
   * messages to be settled, and renews no more leases. A handler that runs longer is not
   * interrupted; its message is handled again, unless it ends within its lease. A handler that
   * calls this does not wait for itself, and frameworks wait for theirs.
   *
   * @param patience for handlers, 0s to 1d
   * @throws IllegalArgumentException if it is out of range
   */
  public void close(Duration patience) {
    requirePatience(patience);
    await(all(ChannelGuard::closing), patience);
    await(all(ChannelGuard::allTold), LAST_ANSWERS);
    begins.close();
    endings.close();
    timer.shutdownNow();
    await(all(ChannelGuard::giveUp), LAST_ANSWERS); // or it would take what is ended later
    leases.close();
    threads.shutdown();
  }
}
