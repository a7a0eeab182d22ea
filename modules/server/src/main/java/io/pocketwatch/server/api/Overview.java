// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.api.KeptQueueResource.Parked;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.store.OverviewStore.ReasonCount;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What can be said about all of it in few words. */
final class Overview {
  private static final int GROUPS = 100;
  private static final int MOST_GROUPS = 1_000;

  private final Backend backend;
  private final CountWatch counts;
  private final Map<String, String> callbackUrls;
  private final Supplier<Parked> parked;
  private final Cached<List<ReasonCount>> reasons;

  /**
   * @param callbacks the routes that call back
   * @param parked the callbacks without a row
   */
  Overview(
      Backend backend,
      CountWatch counts,
      List<CallbackSettings> callbacks,
      Supplier<Parked> parked) {
    this.parked = parked;
    this.callbackUrls =
        callbacks.stream()
            .collect(Collectors.toMap(CallbackSettings::route, CallbackSettings::shownUrl));
    this.backend = backend;
    this.counts = counts;
    this.reasons = new Cached<>(CountWatch.EVERY, () -> backend.store().reasons(MOST_GROUPS));
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        RestApi.ROOT + "/health",
        context -> {
          Caller.of(context).requireAllRoutes();
          Answers.json(context, 200, backend.vitals().json());
        });
    routes.get(
        RestApi.ROOT + "/session",
        context -> Answers.json(context, 200, Caller.of(context).session(true, backend.place())));
    routes.get(RestApi.ROOT + "/routes", this::routes);
    routes.get(
        RestApi.ROOT + "/counts/states",
        context -> Answers.json(context, 200, counts.fresh().seenBy(Caller.of(context))));
    routes.get(RestApi.ROOT + "/parked", this::parked);
  }

  private void parked(Context context) {
    Caller caller = Caller.of(context);
    List<ReasonCount> groups =
        reasons.get().stream().filter(each -> caller.sees(each.route())).limit(GROUPS).toList();
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

  private void routes(Context context) {
    Answers.json(
        context,
        200,
        Map.of(
            "routes",
            backend
                .routes()
                .all()
                .filter(route -> Caller.of(context).sees(route.name()))
                .map(route -> RouteView.of(route, callbackUrls.get(route.name())))
                .toList()));
  }
}
