// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.tracking.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code pocketwatch.pending}, {@code pocketwatch.held} and {@code pocketwatch.parked.now} per
 * route: how many rows have that {@link MessageState}. {@code pocketwatch.overdue.messages} and
 * {@code pocketwatch.overdue.oldest} in seconds, per route and {@link Phase}. {@code
 * pocketwatch.loader.heartbeat.age} in seconds (of the liveliest loader; NaN if none was seen for a
 * day). {@code pocketwatch.oldest.snapshot.age} in seconds, since this process first saw what keeps
 * the database from removing dead rows. Reading a gauge does not ask the database: {@link #refresh}
 * does, as often as its caller can afford. While the database does not answer, the counts stay as
 * they were, and the age grows.
 */
public final class StoreGauges implements MeterBinder {
  private static final Map<MessageState, String> NAMES =
      Map.of(
          MessageState.PENDING, "pocketwatch.pending",
          MessageState.HELD, "pocketwatch.held",
          MessageState.PARKED, "pocketwatch.parked.now");

  private final DelayStore store;
  private final List<String> routes;
  private final Map<String, Long> counts = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private volatile @Nullable Heartbeat latest;
  private @Nullable Snapshot oldest;
  private volatile double oldestSeconds;
  private volatile Overdue overdue = new Overdue(Map.of(), Instant.EPOCH, 0);

  public StoreGauges(DelayStore store, DelayRoutes routes) {
    this(store, routes, System::nanoTime);
  }

  StoreGauges(DelayStore store, DelayRoutes routes, LongSupplier nanoTime) {
    this.store = store;
    this.routes = routes.all().map(DelayRoute::name).toList();
    this.nanoTime = nanoTime;
  }

  /**
   * Refreshes the values, with an indexed query per route and state, and a few for all routes.
   *
   * @throws StoreException if the store does not answer; the counts then keep their values
   */
  public void refresh() {
    for (String route : routes) {
      for (MessageState state : NAMES.keySet()) {
        counts.put(key(route, state), store.count(MessageQuery.all().route(route).states(state)));
      }
    }
    Map<String, OverdueCount> late = new HashMap<>();
    store.overdueCounts().forEach(each -> late.put(each.route(), each));
    Instant now = store.now();
    long asked = nanoTime.getAsLong();
    latest =
        store.heartbeats().stream()
            .map(LoaderHeartbeat::at)
            .max(Instant::compareTo)
            .map(at -> new Heartbeat(Duration.between(at, now), asked))
            .orElse(null);
    overdue = new Overdue(late, now, asked);
    lookAtOldest(store.oldestSnapshot(), asked);
  }

  private synchronized void lookAtOldest(@Nullable String name, long asked) {
    if (name == null) {
      oldest = null;
    } else if (oldest == null || !oldest.name().equals(name)) {
      oldest = new Snapshot(name, asked);
    }
    oldestSeconds =
        oldest == null ? 0 : Duration.ofNanos(asked - oldest.nanoTime()).toMillis() / 1_000.0;
  }

  /** The age now, not at the last refresh: the database may have been away since. */
  private double heartbeatAge() {
    Heartbeat known = latest;
    return known == null
        ? Double.NaN
        : known.age().plusNanos(nanoTime.getAsLong() - known.nanoTime()).toMillis() / 1_000.0;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (String route : routes) {
      NAMES.forEach(
          (state, name) ->
              Gauge.builder(name, () -> counts.getOrDefault(key(route, state), 0L))
                  .description("Rows whose state is " + state)
                  .tag("route", route)
                  .register(registry));
    }
    for (String route : routes) {
      Phase.overdue().forEach(phase -> bindOverdue(registry, route, phase));
    }
    Gauge.builder("pocketwatch.loader.heartbeat.age", this::heartbeatAge)
        .description("Since the last sign of life of any loader")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("pocketwatch.oldest.snapshot.age", () -> oldestSeconds)
        .description("For how long the same transaction or replica keeps dead rows in the database")
        .baseUnit("seconds")
        .register(registry);
  }

  private void bindOverdue(MeterRegistry registry, String route, Phase phase) {
    Supplier<Part> part = () -> overdue.part(route, phase);
    Gauge.builder("pocketwatch.overdue.messages", () -> part.get().count())
        .description("Stored messages more than 10 s past their time that have not ended")
        .tag("route", route)
        .tag("phase", phase.code())
        .register(registry);
    Gauge.builder(
            "pocketwatch.overdue.oldest",
            () -> overdue.age(part.get(), nanoTime.getAsLong()).toMillis() / 1_000.0)
        .description("How long the first of these has been late")
        .baseUnit("seconds")
        .tag("route", route)
        .tag("phase", phase.code())
        .register(registry);
  }

  private static String key(String route, MessageState state) {
    return state + " " + route;
  }

  /**
   * The latest heartbeat in the store.
   *
   * @param age its age by the store's clock, when it was read
   * @param nanoTime when it was read, on this JVM's clock
   */
  private record Heartbeat(Duration age, long nanoTime) {}

  /**
   * What keeps dead rows in the database.
   *
   * @param nanoTime when this process saw it first, on this JVM's clock
   */
  private record Snapshot(String name, long nanoTime) {}

  /** The overdue messages by route, and when they were read, on the store's clock and ours. */
  private record Overdue(Map<String, OverdueCount> routes, Instant at, long nanoTime) {
    Part part(String route, Phase phase) {
      OverdueCount count = routes.get(route);
      return count == null ? Part.NONE : count.in(phase);
    }

    /** The age now: the database may have been away since the last refresh. */
    Duration age(Part part, long now) {
      return part.count() == 0 ? Duration.ZERO : part.age(at.plusNanos(now - nanoTime));
    }
  }
}
