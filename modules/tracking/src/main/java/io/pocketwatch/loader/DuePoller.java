// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublisherStatus;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.loader.LoadPass.RouteShares;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Claims what the store has held until now: what is tracked to the end and due within two seconds.
 * Routes take turns, a share of a batch each. Of a route at most two shares wait here or for the
 * broker's answer, so one route's backlog hides no other.
 */
final class DuePoller {
  /** What has no room in memory waits for so long. */
  private static final long NO_ROOM_MS = 20;

  /** A route that had nothing left, or was not due, is looked at again after so long. */
  private static final long SAME_ROUTES = Duration.ofSeconds(1).toNanos();

  /** Twice as long as until the next look at all routes. */
  private static final Duration OTHER_ROUTES_AHEAD = Duration.ofMinutes(2);

  /** Two shares of a route leave half of the places in flight to the others. */
  private static final int PART_OF_PLACES = 4;

  /**
   * A message waits at the broker and in the store behind what was claimed before it. With more a
   * route's backlog comes a tenth faster, and the others' messages twice as late.
   */
  private static final int MOST_BESIDE_OTHERS = 200;

  private final LoaderContext work;
  private final RateLimit rate;
  private final LongSupplier nanos;

  /** Of which it asks each time. That is cheaper than to step through all that have rows. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /**
   * @param nanos time as {@link System#nanoTime} counts it
   */
  DuePoller(LoaderContext work, RateLimit rate, LongSupplier nanos) {
    this.work = work;
    this.rate = rate;
    this.nanos = nanos;
    this.known.addAll(work.configured(true));
  }

  /**
   * Looks at routes that are not configured here, and for what has come to lie where {@link #look}
   * no longer looks. That may take seconds, so it is not done on the same thread.
   */
  void lookInFull() {
    if (mayContinue()) {
      Instant ahead = work.handOff.now().plus(OTHER_ROUTES_AHEAD); // so none of theirs is late
      work.store.routesDue(ahead, null).stream().filter(work::sentWhenDue).forEach(known::add);
    }
  }

  /** How many were claimed, when nothing is left or the broker is away. */
  long look() {
    long claimed = 0;
    List<String> routes = List.of();
    do {
      if (!mayContinue()) {
        break;
      }
      routes = routesDue(routes);
      claimed += turns(routes);
    } while (!routes.isEmpty());
    return claimed;
  }

  private boolean mayContinue() {
    PublisherStatus broker = work.publisher.status();
    return !work.stopping() && broker.connected() && broker.blockedReason() == null;
  }

  /** Those that are new come first, the others stay in order. Any may be configured elsewhere. */
  private List<String> routesDue(List<String> before) {
    Instant horizon = work.handOff.now().plus(StoreRule.NEAR_DUE);
    Set<String> due = new LinkedHashSet<>(work.store.routesDue(horizon, Set.copyOf(known)));
    List<String> still = new ArrayList<>(before);
    still.retainAll(due);
    still.forEach(due::remove);
    List<String> next = new ArrayList<>(due);
    next.addAll(still);
    return next;
  }

  /**
   * For a second, or until nothing is left.
   *
   * @param routes who goes first; those without anything left go
   */
  private long turns(List<String> routes) {
    RouteShares shares =
        RouteShares.of(
            work.options.batch(),
            work.options.rate(),
            routes,
            route -> work.policy(route).weight());
    long begun = nanos.getAsLong();
    long claimed = 0;
    while (!routes.isEmpty() && mayContinue() && nanos.getAsLong() - begun < SAME_ROUTES) {
      int taken = round(routes, shares);
      claimed += taken;
      if (taken == 0 && !routes.isEmpty() && work.stopsWithin(NO_ROOM_MS)) {
        break;
      }
    }
    return claimed;
  }

  /** Who had a turn goes last. Who finds no room stays first, and nobody overtakes it. */
  private int round(List<String> routes, RouteShares shares) {
    int claimed = 0;
    for (String route : List.copyOf(routes)) {
      int share = share(route, shares);
      if (work.handOff.claimedDue(route) > share) {
        continue;
      }
      OptionalInt taken = turn(route, share);
      if (taken.isEmpty()) {
        break;
      }
      routes.remove(route);
      if (taken.getAsInt() > 0) {
        routes.add(route);
        claimed += taken.getAsInt();
      }
    }
    return claimed;
  }

  private int share(String route, RouteShares shares) {
    int places = work.routes.publisher().maxInFlight() / PART_OF_PLACES;
    int most = known.size() > 1 ? Math.min(places, MOST_BESIDE_OTHERS) : places;
    return Math.max(1, Math.min(shares.rows(work.policy(route).weight()), most));
  }

  /** Empty without room, or if this is to stop. */
  private OptionalInt turn(String route, int share) {
    int allowed = rate.take(share, () -> !mayContinue());
    if (allowed == 0) {
      return OptionalInt.empty();
    }
    int taken = 0;
    long begun = nanos.getAsLong();
    try {
      OptionalInt claimed =
          work.handOff.claimDue(route, allowed, work.owner(), work::tellAbandoned);
      taken = claimed.orElse(0);
      if (taken > 0) {
        Duration took = Duration.ofNanos(nanos.getAsLong() - begun);
        work.listener.onEvent(new StoreEvent.Loaded(route, taken, took));
      }
      return claimed;
    } finally {
      rate.giveBack(allowed - taken);
    }
  }
}
