// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import java.util.Map;

/** What can be said about all of it without the store. */
final class Overview {
  private final Backend backend;

  Overview(Backend backend) {
    this.backend = backend;
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        RestApi.ROOT + "/health", context -> Answers.json(context, 200, backend.vitals().health()));
    routes.get(
        RestApi.ROOT + "/session",
        context -> Answers.json(context, 200, SessionView.of(Caller.of(context))));
    routes.get(
        RestApi.ROOT + "/routes",
        context ->
            Answers.json(
                context,
                200,
                Map.of("routes", backend.routes().all().map(RouteView::of).toList())));
  }
}
