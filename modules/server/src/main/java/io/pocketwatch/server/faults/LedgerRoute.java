// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.util.Locale;
import java.util.Random;

/** How messages of a run are held; each has a route and a queue of its own. */
enum LedgerRoute {
  WHEEL(60, "strategy: QUEUE_WHEEL"),
  ISOLATED(36, "strategy: QUEUE_WHEEL, isolation: destination"),
  /** Few: it is not made for many. */
  TEMPORARY(4, "strategy: TEMPORARY_QUEUE");

  /** The exchange all of them arrive at. */
  static final String EXCHANGE = "faults";

  /** Where a queue of the run sends what it gives up; nothing should come here. */
  static final String DEAD = "faults.dead";

  private final int percent;
  private final String policy;

  LedgerRoute(int percent, String policy) {
    this.percent = percent;
    this.policy = policy;
  }

  static LedgerRoute random(Random random) {
    int drawn = random.nextInt(100);
    for (LedgerRoute route : values()) {
      drawn -= route.percent;
      if (drawn < 0) {
        return route;
      }
    }
    throw new IllegalStateException("the shares do not add up to 100");
  }

  /** Its entry in the configuration. */
  String yaml() {
    return "    %s: {exchange: %s, routing-key: %s, %s, tracking: full}%n"
        .formatted(queue(), EXCHANGE, key(), policy);
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  String queue() {
    return EXCHANGE + "." + key();
  }
}
