// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.server.access.Caller;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.Phase;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Overdue messages, as in all JSON.
 *
 * @param count how many there are
 * @param phases how many are in each {@link Phase}, by its code
 * @param oldest when the oldest was due
 * @param oldestSeconds for how long that is overdue
 */
public record OverdueView(
    long count, Map<String, Long> phases, @Nullable Instant oldest, long oldestSeconds) {

  /** The overdue messages of routes. */
  public static OverdueView of(List<OverdueCount> routes, Instant now) {
    Part all = routes.stream().map(OverdueCount::all).reduce(Part.NONE, Part::plus);
    Map<String, Long> phases = new LinkedHashMap<>();
    for (Phase phase : Phase.overdue()) {
      phases.put(phase.code(), routes.stream().mapToLong(each -> each.in(phase).count()).sum());
    }
    return new OverdueView(all.count(), phases, all.oldest(), all.age(now).toSeconds());
  }

  /** The overdue messages on routes that the caller may see. */
  public static OverdueView of(HealthView health, Caller caller) {
    return of(seen(health, caller), health.overdueAt());
  }

  /** The overdue messages by route, as far as the caller may see them. */
  public static Map<String, OverdueView> byRoute(HealthView health, Caller caller) {
    Map<String, OverdueView> routes = new TreeMap<>();
    seen(health, caller)
        .forEach(each -> routes.put(each.route(), of(List.of(each), health.overdueAt())));
    return routes;
  }

  private static List<OverdueCount> seen(HealthView health, Caller caller) {
    return health.overdue().stream().filter(each -> caller.sees(each.route())).toList();
  }
}
