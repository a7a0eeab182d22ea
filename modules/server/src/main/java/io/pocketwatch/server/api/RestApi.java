// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.HandlerType;
import io.pocketwatch.server.config.ServerSettings;
import java.util.Map;

/** All of {@code /api/v1}. */
public final class RestApi implements HttpPart {
  static final String ROOT = "/api/v1";

  private final Backend backend;
  private final Access access;

  /**
   * @param environment where secrets may be
   * @throws io.pocketwatch.screen.CommandFailedException if a secret is not where it should be
   */
  public RestApi(Backend backend, ServerSettings settings, Map<String, String> environment) {
    this.backend = backend;
    this.access = new Access(settings, environment);
  }

  @Override
  public void addTo(JavalinConfig config) {
    RoutesConfig routes = config.routes;
    routes.before(
        ROOT + "/*",
        context -> {
          if (context.method().equals(HandlerType.HEAD)) {
            throw new ProblemException(
                Problem.of(ProblemType.METHOD_NOT_ALLOWED, "HEAD is not answered here")
                    .header("Allow", "GET"));
          }
          access.check(context);
        });
    Failures.addTo(routes);
    Description.addTo(routes);
    new Overview(backend).addTo(routes);
    new Lookup(backend).addTo(routes);
  }
}
