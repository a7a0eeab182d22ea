// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.BrokerClock;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublisherEvent;
import io.pocketwatch.PublisherStatus;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.amqp.PublishLink;
import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.InFlightLimit;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.setup.BrokerSetup;
import io.pocketwatch.internal.setup.Destinations;
import io.pocketwatch.internal.setup.NativeHoldProbe;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.temporary.TemporaryQueues;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.spi.Planning.Targets;
import io.pocketwatch.spi.PublisherSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the parts together, and takes them apart again. */
public final class DefaultDelayedPublisher implements DelayedPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultDelayedPublisher.class);
  private static final int ADMIN_THREADS = 4;

  private final DelayRoutes routes;
  private final PublisherOptions options;
  private final PocketwatchListener listener;
  private final Names names;
  private final TopologyKeeper keeper;
  private final Planning planning;
  private final AdminChannels admin;
  private final ExecutorService adminThreads;

  private final Destinations destinations;
  private final TemporaryQueues temporaryQueues;
  private final CallbackThread callbacks;
  private final InFlightLimit inFlight;
  private final BrokerSetup preparation;
  private final PublishLink link;
  private final PublishPipeline walk;
  private volatile Broker broker;
  private volatile CompletableFuture<Void> configured = CompletableFuture.completedFuture(null);
  private volatile @Nullable BrokerClock brokerClock;
  private volatile boolean closed;

  private DefaultDelayedPublisher(PublisherSettings settings, Scheduler scheduler) {
    Connections connections = new Connections(settings.connectionFactory(), settings.addresses());
    this.adminThreads = scheduler.threads("pocketwatch-admin", ADMIN_THREADS);
    this.callbacks = new CallbackThread(scheduler);
    this.routes = settings.routes();
    this.options = routes.publisher();
    this.listener = settings.listener();
    this.names = new Names(routes.hold().namePrefix());
    InstantSource clock = settings.clock();
    BrokerCapabilities unknown = BrokerCapabilities.unknown(connections.userName());
    this.broker =
        broker(
            routes.asksForNative()
                ? unknown.with(NativeHold.notUsable("there was no connection yet", null))
                : unknown);
    this.admin = new AdminChannels(connections);
    this.keeper = new TopologyKeeper(admin, adminThreads, names);
    this.destinations =
        new Destinations(admin, keeper, names, routes.hold().topology(), adminThreads, scheduler);
    this.inFlight = new InFlightLimit(options.maxInFlight(), callbacks, scheduler);
    this.preparation =
        new BrokerSetup(
            connections,
            routes,
            admin,
            keeper,
            routes.asksForNative() ? new NativeHoldProbe(admin, names, clock) : null,
            this::nativeSeen,
            this::ready,
            this::clockSeen,
            scheduler);
    this.link = new PublishLink(connections, options, preparation, scheduler);
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
            adminThreads,
            scheduler);
    this.planning = new FrameworkPlanning(walk, clock);
  }

  /**
   * A publisher without a store, open.
   *
   * @throws IllegalStateException if a route is tracked
   */
  public static DefaultDelayedPublisher untracked(PublisherSettings settings) {
    if (!settings.routes().tracked().isEmpty()) {
      DelayRoute route = settings.routes().tracked().get(0);
      throw new IllegalStateException(
          "route '%s' has tracking: %s, which needs a store, and this publisher was given none"
              .formatted(route.name(), route.store().tracking().name().toLowerCase(Locale.ROOT)));
    }
    DefaultDelayedPublisher publisher = of(settings);
    try {
      publisher.open(settings);
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
    return publisher;
  }

  /** Not open yet. */
  public static DefaultDelayedPublisher of(PublisherSettings settings) {
    return of(settings, Scheduler.SYSTEM);
  }

  /** With time and threads of its own: for tests. */
  static DefaultDelayedPublisher of(PublisherSettings settings, Scheduler scheduler) {
    return new DefaultDelayedPublisher(settings, scheduler);
  }

  /** Connects, unless that is put off. Whoever called this closes it if it fails. */
  public void open(PublisherSettings settings) {
    if (!settings.connectOnDemand()) {
      connect(settings.connectLater());
    }
  }

  /** What another kind of publisher is built on. */
  public PublisherParts parts() {
    return new PublisherParts(planning, () -> broker.planner, callbacks);
  }

  private void connect(boolean later) {
    if (!link.start(later)) {
      return;
    }
    configured.join(); // bounded by the RPC timeout
    LOG.info(
        "Connected to RabbitMQ {}: {} delay routes, any delay up to {}",
        broker.facts.version(),
        routes.routes().size(),
        DurationText.format(routes.hold().wheel().maxDelay()));
  }

  private void ready(BrokerCapabilities facts) {
    broker = broker(facts);
    listener.onEvent(new PublisherEvent.NativeHoldSeen(facts.nativeHold()));
    destinations.forgetAll();
    configured = destinations.ensureConfigured(routes.routes());
  }

  private void nativeSeen(NativeHold hold) {
    broker = broker(broker.facts.with(hold));
    listener.onEvent(new PublisherEvent.NativeHoldSeen(hold));
  }

  private void clockSeen(BrokerClock clock) {
    if (clock.wrong()) {
      LOG.warn("{}; messages may be early or late, see Clocks in the manual", clock.words());
    }
    brokerClock = clock;
    listener.onEvent(new PublisherEvent.BrokerClockSeen(clock));
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(DelayedMessage message) {
    Objects.requireNonNull(message, "message");
    if (closed) {
      return CompletableFuture.failedFuture(closedAlready());
    }
    return told(walk.start(message));
  }

  /** Has the listener hear of a receipt, when there is one. */
  public CompletableFuture<PublishReceipt> told(CompletableFuture<PublishReceipt> receipt) {
    if (listener != PocketwatchListener.NONE) {
      receipt.thenAccept(done -> listener.onEvent(new PublisherEvent.Published(done)));
    }
    return receipt;
  }

  @Override
  public CompletableFuture<ChangeOutcome> cancel(String id, Instant deliverAt) {
    try {
      return callbacks.ask(
          () -> temporaryQueues.cancel(id, deliverAt),
          adminThreads,
          options.confirmTimeout(),
          ChangeOutcome.UNCERTAIN);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(closedAlready());
    }
  }

  @Override
  public CompletableFuture<ChangeOutcome> cancel(PublishReceipt receipt) {
    return cancel(receipt.id(), receipt.deliverAt());
  }

  @Override
  public <T> T unwrap(Class<T> part) {
    if (part == Planning.class) {
      return part.cast(planning);
    }
    if (part == PocketwatchListener.class) {
      return part.cast(listener);
    }
    if (part == Targets.class) {
      Targets targets =
          (exchange, queue) ->
              destinations.declared(Destination.of(exchange, queue, Destination.Way.SHARED));
      return part.cast(targets);
    }
    throw new IllegalArgumentException("a publisher has no " + part.getName());
  }

  @Override
  public DelayRoutes routes() {
    return routes;
  }

  @Override
  public void connect() {
    connect(true);
  }

  @Override
  public PublisherStatus status() {
    boolean connected = link.connected();
    BrokerCapabilities facts = broker.facts;
    return new PublisherStatus(
        connected,
        connected || !link.needed() ? null : link.whyDown(),
        link.blocked(),
        facts.version(),
        Optional.ofNullable(brokerClock),
        facts.nativeHold(),
        strategies(facts));
  }

  private Set<DelayStrategy> strategies(BrokerCapabilities facts) {
    Set<DelayStrategy> offered =
        EnumSet.of(DelayStrategy.IMMEDIATE, DelayStrategy.TTL_QUEUE, DelayStrategy.QUEUE_WHEEL);
    if (routes.hold().topology() == TopologyMode.DECLARE) {
      offered.add(DelayStrategy.TEMPORARY_QUEUE);
    }
    if (facts.delayedExchange()) {
      offered.add(DelayStrategy.DELAYED_EXCHANGE);
    }
    if (facts.nativeHold().isUsable()) {
      offered.add(DelayStrategy.DELIVERY_TIME);
    }
    return offered;
  }

  @Override
  public CompletableFuture<Void> declareWheel() {
    return preparation.ensureWheel().copy();
  }

  @Override
  public void close() {
    closed = true;
    inFlight.awaitEmpty(options.confirmTimeout().multipliedBy(2)); // prepared, then answered
    link.close();
    admin.close(); // what waits for an answer there fails now, and so ends its message
    adminThreads.shutdown();
    temporaryQueues.close();
    inFlight.awaitEmpty(Duration.ofSeconds(5));
    callbacks.close();
  }

  private static IllegalStateException closedAlready() {
    return new IllegalStateException("this publisher is closed");
  }

  private Broker broker(BrokerCapabilities facts) {
    return new Broker(facts, new DelayPlanner(routes, facts));
  }

  /** What is known of the broker, replaced as a whole on each connection. */
  private record Broker(BrokerCapabilities facts, DelayPlanner planner) {}
}
