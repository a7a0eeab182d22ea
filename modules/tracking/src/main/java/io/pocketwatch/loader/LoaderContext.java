// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.base.ThisProcess;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.tracking.TrackedPublisher;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of a loader's parts: store and broker, its name, and whether it stops. */
final class LoaderContext {
  private static final Logger LOG = LoggerFactory.getLogger(LoaderContext.class);

  final TrackedPublisher publisher;
  final HandOff handOff;
  final DelayStore store;
  final DelayRoutes routes;
  final LoaderOptions options;
  final PocketwatchListener listener;
  final Lease lease;
  private final CountDownLatch stopped = new CountDownLatch(1);

  LoaderContext(TrackedPublisher publisher, List<PocketwatchListener> listeners) {
    this.publisher = publisher;
    this.handOff = publisher.unwrap(HandOff.class);
    this.store = publisher.unwrap(DelayStore.class);
    this.routes = publisher.routes();
    this.options = routes.loader();
    this.listener = PocketwatchListener.all(listeners);
    String owner = "loader-" + ThisProcess.name() + "-" + UUID.randomUUID();
    this.lease = new Lease(owner, options.lease());
  }

  /** The policy of a route; rows of one that is no longer configured are still loaded. */
  DelayRoute policy(String route) {
    DelayRoute configured = routes.named(route);
    return configured == null ? DelayRoute.defaults() : configured;
  }

  /** Whether the store holds that route's messages until they are due. */
  boolean sentWhenDue(String route) {
    return StoreRule.sentWhenDue(routes.named(route));
  }

  /** The configured routes whose messages it holds until then, or the other ones. */
  Set<String> configured(boolean sentWhenDue) {
    return routes
        .all()
        .map(DelayRoute::name)
        .filter(route -> sentWhenDue(route) == sentWhenDue)
        .collect(Collectors.toSet());
  }

  /** Notifies of claimed rows that a consumer had begun and not ended. */
  void tellAbandoned(List<Claim> claims) {
    int abandoned = (int) claims.stream().filter(Claim::abandoned).count();
    if (abandoned > 0) {
      LOG.warn("{} messages that a consumer has begun and not ended are sent again", abandoned);
      listener.onEvent(new StoreEvent.Abandoned(abandoned));
    }
  }

  String owner() {
    return lease.owner();
  }

  void stop() {
    stopped.countDown();
  }

  boolean stopping() {
    return stopped.getCount() == 0;
  }

  /** Waits; true as soon as the loader stops. */
  boolean stopsWithin(long millis) {
    try {
      return stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true; // our threads are interrupted only when the JVM ends
    }
  }
}
