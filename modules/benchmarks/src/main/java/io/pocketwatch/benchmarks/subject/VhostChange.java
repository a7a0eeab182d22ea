// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.config.DelayRoutes;

/**
 * What a variant does to our topology to learn the price of one of its parts. Never advised to
 * users: what it takes away is a safety.
 */
interface VhostChange {
  VhostChange NONE = new VhostChange() {};

  /** Before the publisher is built. */
  default void before(RabbitServer.VirtualHost host, DelayRoutes routes) throws Exception {}

  /** What the publisher is built with. */
  default DelayRoutes routes(DelayRoutes routes) {
    return routes;
  }

  /** After the publisher has declared its topology, before the first message. */
  default void after(RabbitServer.VirtualHost host, DelayRoutes routes) throws Exception {}
}
