// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.pocketwatch.server.http.HttpPart;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** What the interface says about itself. */
final class Description {
  private static final String DOCUMENT = "openapi.yaml";

  private Description() {}

  static void addTo(RoutesConfig routes) {
    byte[] document = document();
    routes.get(
        HttpPart.REST + "/" + DOCUMENT,
        context -> context.contentType("application/yaml").result(document));
  }

  private static byte[] document() {
    try (InputStream in = Description.class.getResourceAsStream(DOCUMENT)) {
      if (in == null) {
        throw new IllegalStateException(DOCUMENT + " is missing from the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
