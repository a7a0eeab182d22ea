// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is overdue, as JSON has it everywhere.
 *
 * @param count all of them
 * @param unsent those that should have been sent
 * @param sent those that wait in a queue, or are being handled
 * @param retrying those that wait for a next try
 * @param oldest since when the first of them is late
 * @param oldestSeconds how long that is
 */
public record OverdueView(
    long count,
    long unsent,
    long sent,
    long retrying,
    @Nullable Instant oldest,
    long oldestSeconds) {

  /** Of one route or more. */
  public static OverdueView of(List<OverdueCount> routes, Instant now) {
    Part all = routes.stream().map(OverdueCount::all).reduce(Part.NONE, Part::plus);
    return new OverdueView(
        all.count(),
        routes.stream().mapToLong(each -> each.unsent().count()).sum(),
        routes.stream().mapToLong(each -> each.sent().count()).sum(),
        routes.stream().mapToLong(each -> each.retrying().count()).sum(),
        all.oldest(),
        all.age(now).toSeconds());
  }

  /** Of the routes that somebody sees. */
  static OverdueView of(Vitals vitals, Caller caller) {
    return of(seen(vitals, caller), vitals.overdueAt());
  }

  /** By route, those that somebody sees. */
  static Map<String, OverdueView> byRoute(Vitals vitals, Caller caller) {
    Map<String, OverdueView> routes = new TreeMap<>();
    seen(vitals, caller)
        .forEach(each -> routes.put(each.route(), of(List.of(each), vitals.overdueAt())));
    return routes;
  }

  private static List<OverdueCount> seen(Vitals vitals, Caller caller) {
    return vitals.overdue().stream().filter(each -> caller.sees(each.route())).toList();
  }
}
