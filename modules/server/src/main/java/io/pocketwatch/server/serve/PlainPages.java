// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpStatus;
import io.pocketwatch.screen.Json;
import io.pocketwatch.server.access.LoopbackNames;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.HttpPart;
import java.util.List;
import java.util.function.Supplier;

/** {@code /health} and {@code /metrics}, which need no credentials. */
record PlainPages(ServerSettings settings, Supplier<Health> health, Supplier<String> metrics)
    implements HttpPart {
  @Override
  public void addTo(JavalinConfig config) {
    for (HandlerType method : List.of(HandlerType.GET, HandlerType.HEAD)) {
      config.routes.addHttpHandler(method, "/health", named(this::health));
      config.routes.addHttpHandler(method, "/metrics", named(this::metrics));
    }
  }

  /** Checks the host: a page of another site may reach loopback under a name of its own. */
  private Handler named(Handler page) {
    LoopbackNames names = new LoopbackNames(settings.address());
    return context -> {
      if (settings.onlyThisMachine() && !names.includeAuthority(context.host())) {
        context
            .status(HttpStatus.MISDIRECTED_REQUEST)
            .result("this server is addressed by a name that is not loopback\n");
      } else {
        page.handle(context);
      }
    };
  }

  private void health(Context context) {
    Health now = health.get();
    context
        .status(now.up() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
        .contentType("application/json")
        .result(Json.line(now.json()) + "\n");
  }

  private void metrics(Context context) {
    context.contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics.get());
  }
}
