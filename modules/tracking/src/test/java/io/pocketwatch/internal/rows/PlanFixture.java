// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Instant;

/** One planner and a fixed instant, with microseconds as a real clock has them. */
record PlanFixture(DelayRoutes routes) {
  static final BrokerCapabilities PLAIN =
      new BrokerCapabilities("4.3.6", false, true, 131_072, "guest");
  static final Instant NOW = Instant.parse("2026-03-01T10:15:30.123456Z");
  static final DelayedMessage ORDER = DelayedMessage.to("orders", "order.timeout").id("o-1");

  DelayPlanner planner() {
    return new DelayPlanner(routes, PLAIN);
  }

  Submission accept(DelayedMessage message) {
    return planner().accept(message, NOW);
  }
}
