// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.NativeHold;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.amqp.PublishLink;
import io.pocketwatch.internal.amqp.PublishSession;
import io.pocketwatch.internal.amqp.SilentBrokerException;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.spi.PublisherSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prepares a new connection before messages are published on it. */
public final class BrokerSetup implements PublishLink.Preparation {
  /** Each try to declare a refused wheel is hundreds of requests, and lines in the broker's log. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(1);

  private static final CompletableFuture<Void> THERE = CompletableFuture.completedFuture(null);
  private static final Logger LOG = LoggerFactory.getLogger(BrokerSetup.class);

  private final Connections connections;
  private final DelayRoutes routes;
  private final AdminChannels admin;
  private final TopologyKeeper keeper;
  private final KnownBroker broker;
  private final Scheduler scheduler;
  private final @Nullable NativeHolds natives;
  private final Names names;
  private final NodeSinks sinks;
  private final Policies policies;
  private final AtomicReference<@Nullable CompletableFuture<Void>> asking = new AtomicReference<>();
  private volatile @Nullable Current current;

  /** The connection on which the wheel was declared, or found. */
  private volatile @Nullable PublishSession wheelOn;

  private volatile boolean wheelNeeded;
  private volatile @Nullable Refused refused;
  private boolean probed;

  /**
   * @param broker takes the results
   */
  public BrokerSetup(
      PublisherSettings settings,
      Connections connections,
      AdminChannels admin,
      TopologyKeeper keeper,
      KnownBroker broker,
      Scheduler scheduler) {
    this.connections = connections;
    this.routes = settings.routes();
    this.admin = admin;
    this.keeper = keeper;
    this.broker = broker;
    this.scheduler = scheduler;
    this.names = new Names(routes.hold().namePrefix());
    this.natives =
        routes.asksForNative()
            ? new NativeHolds(
                new NativeHoldProbe(admin, names, settings.clock(), scheduler)::run,
                this::needWheel,
                broker::holdsByTime)
            : null;
    this.sinks = new NodeSinks(connections, names, scheduler);
    this.policies = new Policies(connections, routes.hold(), scheduler);
  }

  @Override
  public void prepare(PublishSession session) throws IOException, TimeoutException {
    HoldOptions hold = routes.hold();
    BrokerCapabilities facts =
        session.facts(
            connections.userName(),
            delayedExchange(hold.topology()),
            localRandomExchange(session, hold.topology()));
    switch (hold.topology()) {
      case DECLARE -> {
        try (Policies.Look look = policies.begin()) {
          declare(Topology.withoutWheel(routes, facts));
          if (facts.localRandomExchange()) {
            sinks.declareMissing();
          }
          look.end(); // a harmful policy would let the wheel's probe wait in vain
        }
      }
      case VERIFY -> keeper.verify(Topology.of(routes, facts));
      case ASSUME -> LOG.info("Assuming the topology is there, as configured (topology: assume)");
    }
    current = new Current(session, facts);
    BrokerCapabilities known = facts.with(nativeHold(session));
    if (hold.topology() == TopologyMode.DECLARE && (wheelNeeded || asksForWheel(known))) {
      needWheel();
    }
    broker.connected(known);
  }

  private void declare(Topology topology) throws IOException, TimeoutException {
    LOG.info(
        "Declaring {} exchanges and {} queues where they are missing",
        topology.exchanges().size(),
        topology.queues().size());
    keeper.declare(topology);
  }

  /** Whether the configuration shows that messages will ride the wheel. */
  private boolean asksForWheel(BrokerCapabilities facts) {
    boolean nativeForAll =
        routes.hold().nativeMode() == NativeMode.AUTO && facts.nativeHold().isUsable();
    return !routes.delays().isEmpty() // late ones ride the wheel instead
        || routes.asksFor(DelayStrategy.QUEUE_WHEEL)
        || facts.nativeHold().isMissed()
        || routes.asksFor(DelayStrategy.DELAYED_EXCHANGE) && !facts.delayedExchange()
        || !nativeForAll
            && routes
                .all()
                .anyMatch(route -> route.strategy() == null && route.defaultDelay() != null);
  }

  /**
   * Completes when the wheel can be used: at once if that is known, otherwise when it was declared
   * and a probe came back. A wheel that the broker has refused is declared again after a minute, or
   * on another connection.
   *
   * @return fails with {@link TopologyException}, or {@link NothingSentException} if the broker
   *     could not be asked
   */
  public CompletableFuture<Void> ensureWheel() {
    Current now = current;
    if (now == null || wheelOn == now.session || routes.hold().topology() != TopologyMode.DECLARE) {
      return THERE;
    }
    Refused before = refused;
    if (before != null && before.counts(now.session, scheduler.nanoTime())) {
      return CompletableFuture.failedFuture(before.why);
    }
    CompletableFuture<Void> fresh = new CompletableFuture<>();
    CompletableFuture<Void> other = asking.compareAndExchange(null, fresh);
    if (other != null) {
      return other;
    }
    try { // on a thread of its own: the admin threads share the work
      scheduler.start("pocketwatch-wheel", () -> ask(fresh));
    } catch (RuntimeException | Error e) {
      asking.set(null);
      fresh.completeExceptionally(
          new NothingSentException("no thread to declare the wheel; nothing was sent", e));
    }
    return fresh;
  }

  private void ask(CompletableFuture<Void> asked) {
    Throwable problem = null;
    try {
      needWheel();
    } catch (IOException | TimeoutException e) {
      problem =
          new NothingSentException(
              "cannot declare the wheel: " + ErrorWords.of(e) + "; nothing was sent", e);
    } catch (RuntimeException | Error e) { // callers wait for this future
      problem = e;
    }
    asking.set(null);
    if (problem == null) {
      asked.complete(null);
    } else {
      asked.completeExceptionally(problem);
    }
  }

  /**
   * Declares the wheel on the present connection, and from now on on each new one. A refused wheel
   * does not stop those: messages that need no wheel can be sent.
   */
  void needWheel() throws IOException, TimeoutException {
    wheelNeeded = true;
    Current now = current;
    try {
      if (now != null) {
        wheel(now.session, now.facts);
      }
    } catch (TopologyException e) {
      wheelNeeded = false;
      throw e;
    }
  }

  private synchronized void wheel(PublishSession session, BrokerCapabilities facts)
      throws IOException, TimeoutException {
    if (wheelOn == session) {
      return;
    }
    Refused before = refused;
    if (before != null && before.counts(session, scheduler.nanoTime())) {
      throw before.why;
    }
    Topology wheel = Topology.ofWheel(routes, facts);
    try {
      declare(wheel);
    } catch (TopologyException e) {
      refused = new Refused(session, e, scheduler.nanoTime());
      throw e;
    }
    if (!probed) {
      probed = probe(session, facts, wheel);
    } else {
      // After a crash the broker may take minutes to dead-letter; publish nevertheless.
      scheduler.start("pocketwatch-probe", () -> lookAtClock(session, facts));
    }
    wheelOn = session;
  }

  /** Probes only with {@code topology: declare}, since the native queues must be declared. */
  private NativeHold nativeHold(PublishSession session) throws IOException, TimeoutException {
    if (natives == null) {
      return NativeHold.NOT_ASKED;
    }
    TopologyMode mode = routes.hold().topology();
    if (mode == TopologyMode.DECLARE) {
      return natives.connected(session.connection(), session::holdByTime);
    }
    return natives.notProbed(
        "it is used behind a probe only, which declares a queue, and topology is "
            + mode.name().toLowerCase(Locale.ROOT));
  }

  /** Whether the connection of a framework holds messages by their delivery time. */
  public boolean holdsByTime(Connection connection) {
    return natives != null
        && routes.hold().topology() == TopologyMode.DECLARE
        && natives.holds(connection);
  }

  /** Notes that a native hold queue has refused a message of this publisher. Never waits. */
  public void refusedByTime() {
    if (natives != null) {
      natives.refused();
    }
  }

  /** The probe's queue is a classic one, and the first for which such a broker has to wait. */
  private boolean probe(PublishSession session, BrokerCapabilities facts, Topology topology)
      throws IOException, TimeoutException {
    try {
      return startupProbe().run(session, facts);
    } catch (ChannelContinuationTimeoutException e) {
      throw new SilentBrokerException(
          "after all %s queues were there".formatted(topology.queues().size()), e);
    } catch (IOException e) {
      if (!BrokerError.limitReached(ErrorWords.of(e))) {
        throw e;
      }
      LOG.warn("The wheel is not probed, for want of a queue: {}", ErrorWords.of(e));
      return false;
    }
  }

  private StartupProbe startupProbe() {
    return new StartupProbe(admin, routes.hold(), broker::clockSeen, scheduler);
  }

  /** Looks at the clock of a broker that was restarted, or of another node. */
  private void lookAtClock(PublishSession session, BrokerCapabilities facts) {
    try {
      startupProbe().run(session, facts);
    } catch (IOException | TimeoutException | RuntimeException e) {
      LOG.debug("The broker's clock is not known", e);
    }
  }

  private boolean delayedExchange(TopologyMode mode) throws IOException, TimeoutException {
    if (!routes.asksFor(DelayStrategy.DELAYED_EXCHANGE)) {
      return false;
    }
    if (mode == TopologyMode.ASSUME) {
      return true;
    }
    ExchangeSpec exchange = ExchangeSpec.delayed(names.delayed()).closed(names);
    boolean there = FeatureProbe.has(connections, exchange, mode == TopologyMode.DECLARE);
    if (!there) {
      LOG.warn(
          "The broker has no x-delayed-message exchange for us;"
              + " routes that name DELAYED_EXCHANGE use the other strategies");
    }
    return there;
  }

  /** Asks only where the type may exist: before 4.0 the question costs a connection. */
  private boolean localRandomExchange(PublishSession session, TopologyMode mode)
      throws IOException, TimeoutException {
    return mode != TopologyMode.ASSUME
        && BrokerCapabilities.mayHaveLocalRandomExchange(session.brokerVersion())
        && FeatureProbe.has(
            connections,
            ExchangeSpec.localRandom(names.localOutlet()).closed(names),
            mode == TopologyMode.DECLARE);
  }

  /** A wheel that the broker has refused. */
  private record Refused(PublishSession session, TopologyException why, long since) {
    boolean counts(PublishSession on, long now) {
      return session == on && now - since < REFUSED_FOR.toNanos();
    }
  }

  /** The present connection, or the one being prepared. */
  private record Current(PublishSession session, BrokerCapabilities facts) {}
}
