// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far the consumers of each route had come a grace ago. How far they have come just now proves
 * nothing: a queue is in order of arrival, not of instants, and what they sent ahead waits at
 * consumers; a backlog that is worked off would be sent again in part. For one thread.
 */
final class Reached {
  /** Looks kept per grace, whatever the sweep. */
  private static final int LOOKS = 8;

  private final Duration grace;
  private final Map<String, Deque<Look>> looks = new HashMap<>();

  Reached(Duration grace) {
    this.grace = grace;
  }

  /**
   * Notes a look and answers from those before.
   *
   * @param now when
   * @param reached up to which instant everything of the route was settled then, or null
   * @return what a look at least a grace ago said, or null if there was none
   */
  @Nullable Instant before(String route, Instant now, @Nullable Instant reached) {
    Deque<Look> of = looks.computeIfAbsent(route, each -> new ArrayDeque<>());
    if (reached != null
        && (of.isEmpty() || !now.isBefore(of.getLast().at.plus(grace.dividedBy(LOOKS))))) {
      of.add(new Look(now, reached));
    }
    Instant ago = now.minus(grace);
    Instant known = null;
    while (!of.isEmpty() && !of.getFirst().at.isAfter(ago)) {
      Look first = of.removeFirst();
      known = first.reached;
      if (of.isEmpty() || of.getFirst().at.isAfter(ago)) {
        of.addFirst(first); // the answer until a later one is old enough
        break;
      }
    }
    return known;
  }

  /** Forgets all other routes: they have nothing overdue. */
  void only(Collection<String> routes) {
    looks.keySet().retainAll(routes);
  }

  private record Look(Instant at, Instant reached) {}
}
