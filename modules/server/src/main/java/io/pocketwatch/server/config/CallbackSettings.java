// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A route whose messages are sent to a URL.
 *
 * @param route the route's name
 * @param queue where its messages arrive
 * @param url where they are sent
 * @param timeout how long an answer may take, with its body
 * @param concurrency calls at a time
 * @param rate calls per second
 * @param secret what calls are signed with, or null
 */
public record CallbackSettings(
    String route,
    String queue,
    URI url,
    Duration timeout,
    int concurrency,
    int rate,
    @Nullable SecretReference secret) {
  private static final Duration LEAST = Duration.ofMillis(100);
  private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(5);

  static CallbackSettings read(String name, ConfigurationSection section, DelayRoutes routes) {
    section.allow("url", "timeout", "concurrency", "rate", "secret");
    DelayRoute route = routes.named(name);
    if (route == null || name.equals(DelayRoute.DEFAULTS)) {
      throw section.refuse("there is no route of this name in pocketwatch.routes");
    }
    String queue = route.routingKey();
    if (!route.exchange().isEmpty() || queue == null) {
      throw section.refuse(
          "its route needs a routing-key, which names a queue of its own, and no exchange");
    }
    return new CallbackSettings(
        name,
        queue,
        url(section),
        section.duration("timeout", LEAST, LONGEST_TIMEOUT, Duration.ofSeconds(10)),
        section.integer("concurrency", 1, 256, 8),
        section.integer("rate", 1, 100_000, 100),
        section.text("secret").isPresent() ? section.secret("secret") : null);
  }

  private static URI url(ConfigurationSection section) {
    String text = section.text("url").orElse("");
    try {
      URI url = new URI(text);
      boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (http && url.getHost() != null && url.getUserInfo() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // said below
    }
    throw section.refuse("url", "is no http: or https: URL with a host and without a user");
  }

  /** For people: without the query, which may hold a secret. */
  public String shownUrl() {
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    return url.getScheme() + "://" + url.getHost() + port + path;
  }
}
