// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.YamlNode;
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
  static CallbackSettings read(String name, YamlNode section, Reading reading) {
    DelayRoute route = reading.route(name, section);
    String queue = route == null ? null : route.routingKey();
    if (route != null && (!route.exchange().isEmpty() || queue == null)) {
      section.report(
          "its route needs a routing-key, which names a queue of its own, and no exchange");
    }
    CallbackSettings settings =
        new CallbackSettings(
            name,
            queue == null ? "" : queue,
            section
                .require("url", "for example https://shop.example/mail", CallbackSettings::url)
                .orElse(URI.create("")),
            section
                .read("timeout", node -> node.duration("100ms", "5m"))
                .orElse(Duration.ofSeconds(10)),
            section.read("concurrency", node -> node.integer(1, 256)).orElse(8),
            section.read("rate", node -> node.integer(1, 100_000)).orElse(100),
            section.read("secret", reading::secret).orElse(null));
    section.refuseOthers();
    return settings;
  }

  /** Errors do not repeat the URL: its query may hold a secret. */
  private static URI url(YamlNode node) {
    try {
      URI url = new URI(node.hidden().text());
      boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (http && url.getHost() != null && url.getUserInfo() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw node.refuse("is no http: or https: URL with a host and without a user");
  }

  /** For people: without the query, which may hold a secret. */
  public String shownUrl() {
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    return url.getScheme() + "://" + url.getHost() + port + path;
  }
}
