// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.amqp.PublishLink;
import io.pocketwatch.internal.amqp.UnreadableMessages;
import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.InFlightLimit;
import io.pocketwatch.internal.base.SafeListeners;
import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.internal.handoff.BrokerEpoch;
import io.pocketwatch.internal.handoff.StoreClock;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.setup.BrokerSetup;
import io.pocketwatch.internal.setup.Destinations;
import io.pocketwatch.internal.setup.NativeHoldProbe;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.temporary.TemporaryQueues;
import io.pocketwatch.internal.topology.BrokerFacts;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.spi.HandOff;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.spi.Planning.Holding;
import io.pocketwatch.spi.Planning.Targets;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the parts together, and takes them apart again. */
public final class DefaultDelayedPublisher implements DelayedPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultDelayedPublisher.class);
  private static final int ADMIN_THREADS = 4;
  private static final int STORE_THREADS = 4;

  private final DelayRoutes routes;
  private final PublisherOptions options;
  private final PocketwatchListener listener;
  private final InstantSource machine;
  private final AdminChannels admin;
  private final ExecutorService adminThreads =
      Executors.newFixedThreadPool(ADMIN_THREADS, Threads.named("pocketwatch-admin"));

  /** Apart, so that a store which does not answer stops nothing that is asked of the broker. */
  private final ExecutorService storeThreads =
      Executors.newFixedThreadPool(STORE_THREADS, Threads.named("pocketwatch-cancel"));

  private final Destinations destinations;
  private final TemporaryQueues temporaryQueues;
  private final CallbackThread callbacks = new CallbackThread();
  private final InFlightLimit inFlight;
  private final BrokerSetup preparation;
  private final PublishLink link;
  private final PublishPipeline walk;
  private final @Nullable RowPublisher stored;
  private volatile Broker broker;
  private volatile CompletableFuture<Void> configured = CompletableFuture.completedFuture(null);
  private volatile @Nullable BrokerClock brokerClock;
  private volatile boolean closed;

  private DefaultDelayedPublisher(
      Connections connections,
      DelayRoutes routes,
      InstantSource machine,
      @Nullable DelayStore store,
      PocketwatchListener listener) {
    this.routes = routes;
    this.options = routes.publisher();
    this.listener = listener;
    this.machine = machine;
    Names names = new Names(routes.hold().namePrefix());
    StoreClock storeClock = store == null ? null : new StoreClock(store::now, machine);
    InstantSource clock = storeClock == null ? machine : storeClock;
    BrokerFacts unknown = BrokerFacts.unknown(connections.userName());
    this.broker =
        broker(
            routes.asksForNative()
                ? unknown.with(NativeHold.notUsable("there was no connection yet", null))
                : unknown);
    this.admin = new AdminChannels(connections);
    TopologyKeeper keeper = new TopologyKeeper(admin, adminThreads, names);
    this.destinations =
        new Destinations(admin, keeper, names, routes.hold().topology(), adminThreads);
    this.inFlight = new InFlightLimit(options.maxInFlight(), callbacks);
    this.preparation =
        new BrokerSetup(
            connections,
            routes,
            admin,
            keeper,
            routes.asksForNative() ? new NativeHoldProbe(admin, names, clock) : null,
            this::nativeSeen,
            this::ready,
            this::clockSeen);
    this.link = new PublishLink(connections, options, preparation);
    this.temporaryQueues =
        new TemporaryQueues(
            admin, names, routes.hold().temporaryQueues(), clock, link::upFor, adminThreads);
    this.walk =
        new PublishPipeline(
            options,
            clock,
            () -> broker.planner,
            inFlight,
            destinations,
            preparation::ensureWheel,
            preparation::holdsByTime,
            preparation::refusedByTime,
            temporaryQueues,
            link,
            adminThreads);
    this.stored =
        store == null || storeClock == null
            ? null
            : new RowPublisher(
                store,
                storeClock,
                routes,
                () -> broker.planner,
                walk,
                new BrokerEpoch(admin, keeper, store, names),
                new UnreadableMessages(connections, names),
                callbacks,
                listener);
  }

  /**
   * Not open yet.
   *
   * @throws IllegalStateException if a route is tracked and there is no store
   */
  public static DefaultDelayedPublisher of(
      ConnectionFactory factory,
      AddressResolver addresses,
      DelayRoutes routes,
      InstantSource clock,
      @Nullable DelayStore store,
      PocketwatchListener listener) {
    if (store == null && !routes.tracked().isEmpty()) {
      DelayRoute route = routes.tracked().get(0);
      throw new IllegalStateException(
          "route '%s' has tracking: %s, which needs a store, and this publisher was given none"
              .formatted(route.name(), route.store().tracking().name().toLowerCase(Locale.ROOT)));
    }
    return new DefaultDelayedPublisher(
        new Connections(factory, addresses), routes, clock, store, safe(listener));
  }

  /** {@link PocketwatchListener#NONE} stays itself, so that nobody tells it anything. */
  private static PocketwatchListener safe(PocketwatchListener listener) {
    return listener == PocketwatchListener.NONE
        ? listener
        : SafeListeners.of(PocketwatchListener.class, List.of(listener));
  }

  /**
   * @param onDemand whether the broker is connected to only when somebody needs it
   * @param later whether a broker that cannot be reached is waited for in the background
   */
  public void open(boolean onDemand, boolean later) {
    try {
      if (stored != null) {
        stored.start();
      }
      if (!onDemand) {
        connect(later);
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void connect(boolean later) {
    if (!link.start(later)) {
      return;
    }
    configured.join(); // bounded by the RPC timeout
    LOG.info(
        "Connected to RabbitMQ {}: {} delay routes, any delay up to {}",
        brokerVersion(),
        routes.routes().size(),
        DurationText.format(routes.hold().wheel().maxDelay()));
  }

  private void ready(BrokerFacts facts) {
    broker = broker(facts);
    listener.nativeHold(facts.nativeHold());
    destinations.forgetAll();
    if (stored != null) {
      stored.connected();
    }
    configured = destinations.ensureConfigured(routes.routes());
  }

  private void nativeSeen(NativeHold hold) {
    broker = broker(broker.facts.with(hold));
    listener.nativeHold(hold);
  }

  private void clockSeen(BrokerClock clock) {
    if (clock.wrong()) {
      LOG.warn("{}; messages may be early or late, see Clocks in the manual", clock.words());
    }
    brokerClock = clock;
    listener.brokerClock(clock);
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(DelayedMessage message) {
    Objects.requireNonNull(message, "message");
    if (closed) {
      return CompletableFuture.failedFuture(closedAlready());
    }
    CompletableFuture<PublishReceipt> receipt =
        stored == null ? walk.start(message) : stored.publish(message);
    if (listener != PocketwatchListener.NONE) {
      receipt.thenAccept(listener::published);
    }
    return receipt;
  }

  @Override
  public CompletableFuture<ChangeOutcome> cancel(String id, Instant deliverAt) {
    return ask(() -> temporaryQueues.cancel(id, deliverAt), adminThreads);
  }

  @Override
  public CompletableFuture<ChangeOutcome> cancel(PublishReceipt receipt) {
    if (receipt.strategy() != DelayStrategy.STORE) {
      return cancel(receipt.id(), receipt.deliverAt());
    }
    MessageKey key = new MessageKey(receipt.route(), receipt.id());
    return ask(() -> withStore().cancel(key), storeThreads);
  }

  private CompletableFuture<ChangeOutcome> ask(
      Supplier<ChangeOutcome> question, ExecutorService threads) {
    CompletableFuture<ChangeOutcome> asked;
    try {
      asked = CompletableFuture.supplyAsync(question, threads);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(closedAlready());
    }
    long patience = options.confirmTimeout().toNanos();
    // Continuations may publish, which could wait for the very threads that answered.
    return asked
        .completeOnTimeout(ChangeOutcome.UNCERTAIN, patience, TimeUnit.NANOSECONDS)
        .thenApplyAsync(outcome -> outcome, callbacks::run);
  }

  @Override
  public DeliveryGuard guard(GuardOptions options) {
    GuardOptions named = options.toBuilder().namePrefix(routes.hold().namePrefix()).build();
    return stored == null
        ? DeliveryGuard.withoutStore(holding(), named, listener)
        : new DeliveryGuard(stored.wholeStore(), stored.handOff(), named, listener);
  }

  @Override
  public <T> T unwrap(Class<T> part) {
    if (part == Planning.class) {
      return part.cast(new FrameworkPlanning(walk, stored, listener));
    }
    if (part == Holding.class) {
      return part.cast(holding());
    }
    if (part == Targets.class) {
      Targets targets =
          (exchange, queue) ->
              destinations.declared(Destination.of(exchange, queue, Destination.Way.SHARED));
      return part.cast(targets);
    }
    if (part == HandOff.class) {
      return part.cast(withStore().handOff());
    }
    if (part == DelayStore.class) {
      return part.cast(withStore().wholeStore());
    }
    throw new IllegalArgumentException("a publisher has no " + part.getName());
  }

  private Holding holding() {
    return stored == null ? new BrokerHolding(walk, routes, machine) : stored.handOff();
  }

  @Override
  public SchedulingStore store() {
    return withStore().store();
  }

  @Override
  public DelayRoutes routes() {
    return routes;
  }

  private RowPublisher withStore() {
    if (stored == null) {
      throw new IllegalStateException("this publisher was built without a store");
    }
    return stored;
  }

  @Override
  public boolean offers(DelayStrategy strategy) {
    return switch (strategy) {
      case IMMEDIATE, TTL_QUEUE, QUEUE_WHEEL -> true;
      case TEMPORARY_QUEUE -> routes.hold().topology() == TopologyMode.DECLARE;
      case DELAYED_EXCHANGE -> broker.facts.delayedExchange();
      case DELIVERY_TIME -> broker.facts.nativeHold().isUsable();
      case STORE -> stored != null;
    };
  }

  @Override
  public void connect() {
    connect(true);
  }

  @Override
  public boolean connected() {
    return link.connected();
  }

  @Override
  public @Nullable String whyNotConnected() {
    return link.connected() || !link.needed() ? null : link.whyDown();
  }

  @Override
  public @Nullable String whyBlocked() {
    return link.blocked();
  }

  @Override
  public String brokerVersion() {
    return broker.facts.version();
  }

  @Override
  public Optional<BrokerClock> brokerClock() {
    return Optional.ofNullable(brokerClock);
  }

  @Override
  public CompletableFuture<Void> declareWheel() {
    return preparation.ensureWheel().copy();
  }

  @Override
  public NativeHold nativeHold() {
    return broker.facts.nativeHold();
  }

  @Override
  public void close() {
    closed = true;
    if (stored != null) {
      stored.stopTaking();
    }
    inFlight.awaitEmpty(options.confirmTimeout().multipliedBy(2)); // prepared, then answered
    link.close();
    admin.close(); // what waits for an answer there fails now, and so ends its message
    adminThreads.shutdown();
    storeThreads.shutdown();
    temporaryQueues.close();
    if (stored != null) {
      stored.close();
    }
    inFlight.awaitEmpty(Duration.ofSeconds(5));
    callbacks.close();
  }

  private static IllegalStateException closedAlready() {
    return new IllegalStateException("this publisher is closed");
  }

  private Broker broker(BrokerFacts facts) {
    return new Broker(facts, new DelayPlanner(routes, facts));
  }

  /** What is known of the broker, replaced as a whole on each connection. */
  private record Broker(BrokerFacts facts, DelayPlanner planner) {}
}
