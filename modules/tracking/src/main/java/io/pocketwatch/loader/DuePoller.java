// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublisherStatus;
import io.pocketwatch.internal.rows.StoreRule;
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
 * Polls for messages that are tracked to the end and due within two seconds, and claims them.
 * Routes take turns, a share of a batch each. At most two shares of a route wait here or for the
 * broker's answer, so that its backlog does not hold up other routes.
 */
final class DuePoller {
  /** The pause where there is no room in memory. */
  private static final long NO_ROOM_MS = 20;

  /** The pause before a route that had nothing due is polled again. */
  private static final long SAME_ROUTES = Duration.ofSeconds(1).toNanos();

  /** Twice as long as until the next look at all routes. */
  private static final Duration OTHER_ROUTES_AHEAD = Duration.ofMinutes(2);

  /** Two shares of a route leave half of the places in flight to other routes. */
  private static final int PART_OF_PLACES = 4;

  /**
   * The largest share while other routes have messages, since these wait for all claimed before
   * them. A larger one sends a backlog a tenth faster, and the others twice as late.
   */
  private static final int MOST_BESIDE_OTHERS = 200;

  private final LoaderContext work;
  private final RateLimit rate;
  private final LongSupplier nanos;

  /** The routes it asks for each time. That is cheaper than to step through all that have rows. */
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
   * Finds routes that are not configured here, and rows that {@link #look} may miss. That may take
   * seconds, so it has a thread of its own.
   */
  void lookInFull() {
    if (mayContinue()) {
      Instant ahead = work.handOff.now().plus(OTHER_ROUTES_AHEAD); // so none of theirs is late
      work.store.routesDue(ahead, null).stream().filter(work::sentWhenDue).forEach(known::add);
    }
  }

  /** Claims until nothing is left or the broker is away; returns how many. */
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
   * Gives routes turns for a second, or until nothing is left.
   *
   * @param routes the routes in their order; removes those with nothing left
   */
  private long turns(List<String> routes) {
    int share = share(routes.size());
    long begun = nanos.getAsLong();
    long claimed = 0;
    while (!routes.isEmpty() && mayContinue() && nanos.getAsLong() - begun < SAME_ROUTES) {
      int taken = round(routes, share);
      claimed += taken;
      if (taken == 0 && !routes.isEmpty() && work.stopsWithin(NO_ROOM_MS)) {
        break;
      }
    }
    return claimed;
  }

  /** A route that had its turn goes last; one that finds no room stays first and ends the round. */
  private int round(List<String> routes, int share) {
    int claimed = 0;
    for (String route : List.copyOf(routes)) {
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

  private int share(int routes) {
    int places = work.routes.publisher().maxInFlight() / PART_OF_PLACES;
    int most = known.size() > 1 ? Math.min(places, MOST_BESIDE_OTHERS) : places;
    return Math.max(1, Math.min(LoadPass.share(work.options, routes), most));
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
