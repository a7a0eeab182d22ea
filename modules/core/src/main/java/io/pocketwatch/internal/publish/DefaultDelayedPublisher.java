// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
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
import io.pocketwatch.internal.setup.BrokerSetup;
import io.pocketwatch.internal.setup.Destinations;
import io.pocketwatch.internal.setup.KnownBroker;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The publisher: builds its parts, connects them, and closes them. */
public final class DefaultDelayedPublisher implements DelayedPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultDelayedPublisher.class);
  private static final int ADMIN_THREADS = 4;

  private final DelayRoutes routes;
  private final PublisherOptions options;
  private final PocketwatchListener listener;
  private final Names names;
  private final ExecutorService adminThreads;
  private final CallbackThread callbacks;
  private final AdminChannels admin;
  private final TopologyKeeper keeper;
  private final Destinations destinations;
  private final KnownBroker broker;
  private final BrokerSetup setup;
  private final PublishLink link;
  private final TemporaryQueues temporaryQueues;
  private final InFlightLimit inFlight;
  private final PublishPipeline pipeline;
  private final Planning planning;
  private volatile boolean closed;

  private DefaultDelayedPublisher(
      PublisherSettings settings, Consumer<BrokerIdentity> admission, Scheduler scheduler) {
    this.routes = settings.routes();
    this.options = routes.publisher();
    this.listener = settings.listener();
    this.names = new Names(routes.hold().namePrefix());
    Connections connections = new Connections(settings.connectionFactory(), settings.addresses());
    this.adminThreads = scheduler.threads("pocketwatch-admin", ADMIN_THREADS);
    this.callbacks = new CallbackThread(scheduler);
    this.admin = new AdminChannels(connections);
    this.keeper = new TopologyKeeper(admin, adminThreads, names);
    Destinations targets =
        new Destinations(admin, keeper, names, routes.hold().topology(), adminThreads, scheduler);
    this.destinations = targets;
    this.broker =
        new KnownBroker(
            settings, connections.userName(), () -> targets.connected(settings.routes().routes()));
    this.setup = new BrokerSetup(settings, connections, admin, keeper, broker, scheduler);
    this.link =
        new PublishLink(
            connections,
            options,
            session -> {
              admission.accept(BrokerIdentity.of(session.connection(), connections.virtualHost()));
              setup.prepare(session);
            },
            scheduler);
    InstantSource clock = settings.clock();
    this.temporaryQueues =
        new TemporaryQueues(admin, routes.hold(), clock, link::uptime, adminThreads, scheduler);
    this.inFlight = new InFlightLimit(options.maxInFlight(), callbacks, scheduler);
    Prerequisites prerequisites =
        new Prerequisites(setup, destinations, temporaryQueues, link, adminThreads);
    this.pipeline = new PublishPipeline(settings, broker, inFlight, prerequisites, link, scheduler);
    this.planning = new FrameworkPlanning(settings, broker, pipeline, prerequisites, scheduler);
  }

  /**
   * An open publisher without a store.
   *
   * @throws IllegalStateException if a route is tracked
   */
  public static DefaultDelayedPublisher untracked(PublisherSettings settings) {
    if (!settings.routes().tracked().isEmpty()) {
      DelayRoute route = settings.routes().tracked().get(0);
      throw new IllegalStateException(
          "route '%s' has tracking: %s, which needs a store, and this publisher was given none"
              .formatted(route.name(), route.tracking().name().toLowerCase(Locale.ROOT)));
    }
    DefaultDelayedPublisher publisher = of(settings, any -> {});
    try {
      publisher.open(settings);
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
    return publisher;
  }

  /**
   * A publisher that is not open yet.
   *
   * @param admission asked for each connection before anything is declared; what it throws keeps
   *     that connection from being used
   */
  public static DefaultDelayedPublisher of(
      PublisherSettings settings, Consumer<BrokerIdentity> admission) {
    return new DefaultDelayedPublisher(settings, admission, Scheduler.SYSTEM);
  }

  /** For tests: with a time and threads of its own. */
  static DefaultDelayedPublisher of(PublisherSettings settings, Scheduler scheduler) {
    return new DefaultDelayedPublisher(settings, any -> {}, scheduler);
  }

  /** Connects, unless that is put off. If this fails, the caller must close the publisher. */
  public void open(PublisherSettings settings) {
    if (!settings.connectOnDemand()) {
      connect(settings.connectLater());
    }
  }

  /** The parts on which another kind of publisher is built. */
  public PublisherParts parts() {
    return new PublisherParts(planning, broker::planner, callbacks);
  }

  private void connect(boolean later) {
    if (!link.start(later)) {
      return;
    }
    destinations.awaitConfigured();
    LOG.info(
        "Connected to RabbitMQ {}: {} delay routes, any delay up to {}",
        broker.planner().broker().version(),
        routes.routes().size(),
        DurationText.format(routes.hold().wheel().maxDelay()));
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(DelayedMessage message) {
    Objects.requireNonNull(message, "message");
    if (closed) {
      return CompletableFuture.failedFuture(closedAlready());
    }
    return notifyListener(pipeline.start(message));
  }

  /** Notifies the listener of the receipt, once there is one. */
  public CompletableFuture<PublishReceipt> notifyListener(
      CompletableFuture<PublishReceipt> receipt) {
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
    BrokerCapabilities facts = broker.planner().broker();
    return new PublisherStatus(
        connected,
        connected || !link.needed() ? null : link.whyDown(),
        link.blocked(),
        facts.version(),
        broker.clock(),
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
    return setup.ensureWheel().copy();
  }

  @Override
  public void close() {
    closed = true;
    inFlight.awaitEmpty(
        options.confirmTimeout().multipliedBy(2)); // to prepare it, and for its answer
    link.close();
    admin.close(); // waits for its answers fail now, and so end their messages
    adminThreads.shutdown();
    temporaryQueues.close();
    inFlight.awaitEmpty(Duration.ofSeconds(5));
    callbacks.close();
  }

  private static IllegalStateException closedAlready() {
    return new IllegalStateException("this publisher is closed");
  }
}
