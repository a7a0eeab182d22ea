// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.ProblemType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;

/** What the interface says about itself. */
final class Description {
  private static final String DOCUMENT = "openapi.yaml";

  private Description() {}

  static void addTo(RoutesConfig routes) {
    byte[] document = document();
    routes.get(
        HttpPart.REST + "/" + DOCUMENT,
        context -> context.contentType("application/yaml").result(document));
    Map<String, Object> problems =
        Map.of("problems", Arrays.stream(ProblemType.values()).map(Explained::of).toList());
    routes.get(HttpPart.REST + "/problems", context -> Answers.json(context, 200, problems));
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

  private record Explained(String type, int status, String title, String meaning) {
    static Explained of(ProblemType type) {
      return new Explained(type.uri(), type.status(), type.title(), type.meaning());
    }
  }
}
