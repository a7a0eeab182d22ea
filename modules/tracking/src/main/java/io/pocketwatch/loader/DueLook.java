// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.loader.LoadPass.RouteShares;
import java.util.ArrayList;
import java.util.List;

/**
 * Claims what the store has held until now: what is tracked to the end and due within two seconds.
 * Routes take turns, a share of a batch each, so that one route's backlog hides no other.
 */
final class DueLook {
  /** What has no room in memory waits for so long. */
  private static final long NO_ROOM_MS = 20;

  private final LoaderContext work;
  private final RateLimit rate;

  DueLook(LoaderContext work, RateLimit rate) {
    this.work = work;
    this.rate = rate;
  }

  /** How many were claimed, when nothing is left or the broker is away. */
  long look() {
    List<String> routes = new ArrayList<>();
    for (String route : work.store.routesDue(work.handOff.now().plus(StoreRule.NEAR_DUE))) {
      if (work.sentWhenDue(route)) {
        routes.add(route);
      }
    }
    RouteShares shares =
        RouteShares.of(
            work.options.batch(),
            work.options.rate(),
            routes,
            route -> work.policy(route).weight());
    long claimed = 0;
    while (!routes.isEmpty() && goesOn()) {
      int before = routes.size();
      long had = claimed;
      for (String route : List.copyOf(routes)) {
        int share = shares.rows(work.policy(route).weight());
        int taken = turn(route, share);
        claimed += taken;
        if (taken == 0 && work.handOff.room() > 0) {
          routes.remove(route);
        }
      }
      if (claimed == had && before == routes.size() && work.stopsWithin(NO_ROOM_MS)) {
        break;
      }
    }
    return claimed;
  }

  private boolean goesOn() {
    return !work.stopping() && work.publisher.status().connected();
  }

  private int turn(String route, int share) {
    int allowed = rate.take(share, () -> !goesOn());
    int taken = 0;
    try {
      taken = allowed == 0 ? 0 : work.handOff.claimDue(route, allowed, work.owner());
      return taken;
    } finally {
      rate.giveBack(allowed - taken);
    }
  }
}
