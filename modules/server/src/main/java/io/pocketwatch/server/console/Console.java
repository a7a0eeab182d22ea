// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpStatus;
import io.javalin.http.NotFoundResponse;
import io.pocketwatch.server.http.HttpPart;
import java.util.List;

/**
 * The page at {@code /}. Its files say nothing about this installation, so anybody may read them.
 * They get their data from {@code /api/v1}, with the credentials of the user.
 */
public final class Console implements HttpPart {
  /** Nothing but our own files runs or is loaded, and no text becomes HTML. */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private final ConsoleFiles files = new ConsoleFiles();

  @Override
  public void addTo(JavalinConfig config) {
    RoutesConfig routes = config.routes;
    for (HandlerType method : List.of(HandlerType.GET, HandlerType.HEAD)) {
      routes.addHttpHandler(method, "/", context -> answer(context, "index.html"));
      routes.addHttpHandler(method, "/console", context -> context.redirect("/"));
      routes.addHttpHandler(
          method, "/console/<file>", context -> answer(context, context.pathParam("file")));
    }
  }

  private void answer(Context context, String name) {
    ConsoleFile file =
        files
            .find(name)
            .orElseThrow(() -> new NotFoundResponse("there is nothing at " + context.path()));
    context
        .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cache-Control", "no-cache") // asked for anew, answered 304 until an update
        .header("ETag", file.tag());
    if (file.isKnownTo(context.header("If-None-Match"))) {
      context.status(HttpStatus.NOT_MODIFIED);
    } else {
      context.contentType(file.type()).result(file.content());
    }
  }
}
