// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.YamlNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The context for reading the server's sections of a configuration.
 *
 * @param routes its routes
 * @param environment of this process
 * @param secrets whether each secret must be there
 */
record Reading(DelayRoutes routes, Map<String, String> environment, boolean secrets) {
  /** A route that a section names; null if it is missing, which is reported. */
  @Nullable DelayRoute route(String name, YamlNode section) {
    DelayRoute route = name.equals(DelayRoute.DEFAULTS) ? null : routes.named(name);
    if (route == null && !section.isRouteRefused(name)) {
      section.report("there is no route '%s' in pocketwatch.routes".formatted(name));
    }
    return route;
  }

  /** The reference to a secret, which is checked if secrets must be there. */
  SecretReference secret(YamlNode node) {
    SecretReference reference = SecretReference.of(node);
    if (secrets) {
      node.check(() -> reference.find(environment));
    }
    return reference;
  }
}
