// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.screen.Json;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.api.DeadLetterResource.Parked;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.view.OverdueView;
import io.pocketwatch.store.OverviewStore.ReasonCount;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The summary of all routes. */
final class Overview {
  private static final int GROUPS = 100;
  private static final int MOST_GROUPS = 1_000;

  private final Backend backend;
  private final CountWatch counts;
  private final Supplier<Parked> parked;
  private final CachedAnswers<Integer, List<ReasonCount>> reasons;

  /**
   * @param parked the callbacks without a row
   */
  Overview(Backend backend, CountWatch counts, Supplier<Parked> parked) {
    this.parked = parked;
    this.backend = backend;
    this.counts = counts;
    this.reasons = new CachedAnswers<>(1, CountWatch.EVERY, most -> backend.store().reasons(most));
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        HttpPart.REST + "/health",
        context -> {
          Caller.of(context).requireAllRoutes();
          Answers.json(context, 200, backend.health().json());
        });
    routes.get(
        HttpPart.REST + "/session",
        context -> Answers.json(context, 200, Caller.of(context).session(true, backend.place())));
    routes.get(HttpPart.REST + "/counts/states", this::states);
    routes.get(HttpPart.REST + "/parked", this::parked);
  }

  /** Why messages were given up, the most frequent first. */
  List<ReasonCount> reasons() {
    return reasons.get(MOST_GROUPS);
  }

  private void parked(Context context) {
    Caller caller = Caller.of(context);
    List<ReasonCount> groups =
        reasons.get(MOST_GROUPS).stream()
            .filter(each -> caller.sees(each.route()))
            .limit(GROUPS)
            .toList();
    Parked withoutRow = parked.get();
    Answers.json(
        context,
        200,
        Map.of(
            "groups",
            groups,
            "callbacks",
            withoutRow.groups().stream().filter(each -> caller.sees(each.route())).toList(),
            "callbacksKnown",
            withoutRow.known()));
  }

  private void states(Context context) {
    Caller caller = Caller.of(context);
    Map<String, Object> json = Json.map(counts.fresh().seenBy(caller));
    json.put("overdue", OverdueView.byRoute(backend.health(), caller));
    Answers.json(context, 200, json);
  }
}
