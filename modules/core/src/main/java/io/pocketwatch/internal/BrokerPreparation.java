// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import com.rabbitmq.client.ChannelContinuationTimeoutException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.HoldOptions;
import io.pocketwatch.route.TopologyMode;
import io.pocketwatch.topology.BrokerClock;
import io.pocketwatch.topology.BrokerFacts;
import io.pocketwatch.topology.Names;
import io.pocketwatch.topology.NativeHold;
import io.pocketwatch.topology.Topology;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What happens on a new connection before anything is published on it. */
final class BrokerPreparation implements PublishLink.Preparation {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerPreparation.class);

  private final Connections connections;
  private final DelayRoutes routes;
  private final AdminChannels admin;
  private final TopologyKeeper keeper;
  private final @Nullable NativeHolds natives;
  private final Consumer<BrokerFacts> whenReady;
  private final Names names;
  private final NodeSinks sinks;
  private final StartupProbe probe;
  private final Consumer<BrokerClock> clockSeen;
  private boolean probed;
  private boolean said;

  BrokerPreparation(
      Connections connections,
      DelayRoutes routes,
      AdminChannels admin,
      TopologyKeeper keeper,
      @Nullable NativeHolds natives,
      Consumer<BrokerFacts> whenReady,
      Consumer<BrokerClock> clockSeen) {
    this.connections = connections;
    this.routes = routes;
    this.admin = admin;
    this.keeper = keeper;
    this.natives = natives;
    this.whenReady = whenReady;
    this.names = new Names(routes.hold().namePrefix());
    this.sinks = new NodeSinks(connections, names);
    this.clockSeen = clockSeen;
    this.probe = new StartupProbe(admin, routes.hold(), clockSeen);
  }

  @Override
  public void prepare(PublishSession session) throws IOException, TimeoutException {
    HoldOptions hold = routes.hold();
    BrokerFacts facts =
        session.facts(
            connections.userName(),
            delayedExchange(hold.topology()),
            localRandomExchange(session, hold.topology()));
    Topology topology = Topology.of(routes, facts);
    switch (hold.topology()) {
      case DECLARE -> {
        LOG.info(
            "Declaring {} exchanges and {} queues where they are missing",
            topology.exchanges().size(),
            topology.queues().size());
        keeper.declare(topology);
        if (facts.localRandomExchange()) {
          sinks.declareMissing();
        }
      }
      case VERIFY -> keeper.verify(topology);
      case ASSUME -> LOG.info("Assuming the topology is there, as configured (topology: assume)");
    }
    if (hold.topology() == TopologyMode.DECLARE) {
      if (!probed) {
        probed = probe(session, facts, topology);
      } else {
        // After a crash the broker may take minutes to release, which is no reason to stay away.
        Threads.named("pocketwatch-probe").newThread(() -> lookAtClock(session, facts)).start();
      }
    }
    whenReady.accept(facts.with(nativeHold(session)));
  }

  /** Nothing is declared but with {@code topology: declare}, and so nothing is probed. */
  private NativeHold nativeHold(PublishSession session) throws IOException, TimeoutException {
    if (natives == null) {
      return NativeHold.NOT_ASKED;
    }
    TopologyMode mode = routes.hold().topology();
    if (mode == TopologyMode.DECLARE) {
      return natives.connected(session);
    }
    NativeHold none =
        NativeHold.notUsable(
            "it is used behind a probe only, which declares a queue, and topology is "
                + mode.name().toLowerCase(Locale.ROOT),
            null);
    if (!said) {
      said = true;
      LOG.warn("DELIVERY_TIME is not used, the wheel serves: {}", none.words());
    }
    return none;
  }

  /** The probe's queue is a classic one, and the first for which such a broker has to wait. */
  private boolean probe(PublishSession session, BrokerFacts facts, Topology topology)
      throws IOException, TimeoutException {
    try {
      return probe.run(session, facts);
    } catch (ChannelContinuationTimeoutException e) {
      throw new SilentBrokerException(
          "after all %d queues were there".formatted(topology.queues().size()), e);
    }
  }

  /** Of a broker that was restarted, or of another node of it. */
  private void lookAtClock(PublishSession session, BrokerFacts facts) {
    try {
      new StartupProbe(admin, routes.hold(), clockSeen).run(session, facts);
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
    boolean there = FeatureProbe.delayedExchange(connections, names, mode == TopologyMode.DECLARE);
    if (!there) {
      LOG.warn(
          "The broker has no x-delayed-message exchange for us;"
              + " routes that name DELAYED_EXCHANGE use the other strategies");
    }
    return there;
  }

  /** Asked only where the type can be known: before 4.0 the question costs a connection. */
  private boolean localRandomExchange(PublishSession session, TopologyMode mode)
      throws IOException, TimeoutException {
    return mode != TopologyMode.ASSUME
        && BrokerFacts.mayHaveLocalRandomExchange(session.brokerVersion())
        && FeatureProbe.localRandomExchange(connections, names, mode == TopologyMode.DECLARE);
  }
}
