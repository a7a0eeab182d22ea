// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

/**
 * Where the messages of a route of the shop arrive.
 *
 * @param route the route's name
 * @param exchange empty for the default exchange
 * @param routingKey with it
 */
record ShopTarget(String route, String exchange, String routingKey) {
  /** The shop's queue behind it. */
  String queue() {
    return exchange.isEmpty() ? routingKey : route;
  }
}
