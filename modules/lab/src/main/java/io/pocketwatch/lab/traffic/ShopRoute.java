// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.util.EnumMap;
import java.util.Map;

/** What the shop sends, each over a route of the configuration. */
enum ShopRoute {
  /** Closes an order that is not paid: tracked, minutes ahead, cancelled where it is. */
  ORDER_TIMEOUT("demo-order-timeout"),
  /** Tracked, mostly weeks ahead, sometimes moved. */
  TRIAL_END("demo-trial-end"),
  /** Handed off: hours ahead. */
  INVOICE_MAIL("demo-invoice-mail"),
  /** Not tracked, a minute ahead. */
  PRICE_UPDATE("demo-price-update");

  private final String configured;

  ShopRoute(String configured) {
    this.configured = configured;
  }

  /** The name in the configuration. */
  String configured() {
    return configured;
  }

  /**
   * Where they arrive, as configured.
   *
   * @throws CommandFailedException if one is not, or is for more than one routing key
   */
  static Map<ShopRoute, ShopTarget> in(DelayRoutes routes) {
    Map<ShopRoute, ShopTarget> found = new EnumMap<>(ShopRoute.class);
    for (ShopRoute each : values()) {
      DelayRoute route = routes.named(each.configured);
      String routingKey = route == null ? null : route.routingKey();
      if (route == null || routingKey == null) {
        throw new CommandFailedException(
            ExitCodes.USAGE,
            "the configuration has no route '"
                + each.configured
                + "' with a routing-key; the one of the stacks, docker/config/pocketwatch.yml,"
                + " does");
      }
      found.put(each, new ShopTarget(route.name(), route.exchange(), routingKey));
    }
    return found;
  }
}
