// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.route.DelayRoute;
import io.pocketwatch.route.TopologyMode;
import io.pocketwatch.topology.Destination;
import io.pocketwatch.topology.Names;
import io.pocketwatch.topology.Topology;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destinations that are known to exist and are bound. Asked once per connection and destination;
 * after a reconnect all are asked again.
 */
final class Destinations {
  /** Names can be generated per message; remembering them all would be a leak. */
  private static final int REMEMBERED = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(Destinations.class);

  private final AdminChannels admin;
  private final TopologyKeeper keeper;
  private final Names names;
  private final TopologyMode mode;
  private final Executor executor;
  private final ConcurrentHashMap<Destination, CompletableFuture<Void>> known =
      new ConcurrentHashMap<>();

  Destinations(
      AdminChannels admin,
      TopologyKeeper keeper,
      Names names,
      TopologyMode mode,
      Executor executor) {
    this.admin = admin;
    this.keeper = keeper;
    this.names = names;
    this.mode = mode;
    this.executor = executor;
  }

  /** Completed when each of them is known. */
  CompletableFuture<Void> ensure(List<Destination> destinations) {
    return destinations.size() == 1
        ? ensure(destinations.get(0))
        : CompletableFuture.allOf(
            destinations.stream().map(this::ensure).toArray(CompletableFuture[]::new));
  }

  /**
   * Completed at once for a destination that is known; else when the broker has been asked.
   *
   * @return fails with {@link UnknownTargetException} or {@link TopologyException}
   */
  CompletableFuture<Void> ensure(Destination destination) {
    CompletableFuture<Void> ready = known.get(destination);
    if (ready != null && !ready.isCompletedExceptionally()) {
      return ready;
    }
    if (ready != null) {
      known.remove(destination, ready);
    }
    if (known.size() >= REMEMBERED) {
      known.clear();
    }
    return known.computeIfAbsent(
        destination, unknown -> CompletableFuture.runAsync(() -> ask(unknown), executor));
  }

  /** Binds what is configured before it is used; a target may also be declared later. */
  CompletableFuture<Void> ensureConfigured(List<DelayRoute> routes) {
    return CompletableFuture.allOf(
        routes.stream().map(this::ensureLater).toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> ensureLater(DelayRoute route) {
    String key = route.routingKey() == null ? "" : route.routingKey();
    return ensure(Destination.released(route, route.exchange(), key))
        .exceptionally(
            error -> {
              LOG.info("Route {} is not usable yet: {}", route.name(), BrokerError.text(error));
              return null;
            });
  }

  void forgetAll() {
    known.clear();
  }

  private void ask(Destination destination) {
    try {
      if (mode != TopologyMode.ASSUME) {
        requireExists(destination);
      }
      if (mode == TopologyMode.DECLARE) {
        keeper.declare(Topology.of(names, destination));
      }
    } catch (IOException | TimeoutException e) {
      throw new CompletionException(
          new TopologyException(
              "cannot prepare " + destination.describe() + ": " + BrokerError.text(e), e));
    }
  }

  private void requireExists(Destination destination) throws IOException, TimeoutException {
    try {
      if (!destination.toQueue()) {
        admin.call(channel -> channel.exchangeDeclarePassive(destination.exchange()));
      } else {
        admin.call(channel -> channel.queueDeclarePassive(destination.queue()));
      }
    } catch (IOException e) {
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        throw new UnknownTargetException(destination.describe(), e);
      }
      if (mode == TopologyMode.VERIFY && BrokerError.code(e) == BrokerError.ACCESS_REFUSED) {
        // From 4.3 on, who has no permission on an object is not even told whether it exists.
        LOG.debug("Not allowed to check {}", destination.describe());
        return;
      }
      throw e;
    }
  }
}
