// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which messages get a row, and which of those are handed off at once. */
public final class StoreRule {
  /** What is due so soon waits in memory; less than half of any lease. */
  public static final Duration NEAR_DUE = Duration.ofSeconds(2);

  private final DelayRoutes routes;
  private final Horizon horizon;
  private final Duration maxDelay;
  private final Supplier<DelayPlanner> planner;
  private final InstantSource clock;

  public StoreRule(DelayRoutes routes, Supplier<DelayPlanner> planner, InstantSource clock) {
    this.routes = routes;
    this.horizon = new Horizon(routes.loader());
    this.maxDelay = routes.hold().wheel().maxDelay();
    this.planner = planner;
    this.clock = clock;
  }

  /** Why it gets a row, or null if it does not. */
  public @Nullable String reasonToStore(Submission submission) {
    if (submission.route().tracked()) {
      return "route " + submission.route().name() + " is tracked";
    }
    if (submission.message().strategy() != null) {
      return null; // what was asked for can hold it itself, or says why not
    }
    Instant now = clock.instant();
    if (submission.deliverAt().isAfter(horizon.at(now))) {
      return "due beyond the horizon";
    }
    return planner.get().canHold(submission, now) ? null : "due beyond what the wheel can hold";
  }

  /** Whether the publisher hands it over itself as soon as it is stored. */
  public boolean handOffNow(Submission submission) {
    return !submission.deliverAt().isAfter(horizon(submission.route()));
  }

  /**
   * Up to when rows of a route are handed off. A tracked one keeps them until shortly before they
   * are due, and one with {@code handoff-before} for as long as that says.
   */
  public Instant horizon(@Nullable DelayRoute route) {
    if (sentWhenDue(route)) {
      return clock.instant().plus(NEAR_DUE);
    }
    Duration before = route == null ? null : route.handoffBefore();
    Instant own = before == null ? Instant.MAX : clock.instant().plus(before);
    Instant all = horizon();
    return own.isBefore(all) ? own : all;
  }

  /** Whether the store holds its rows until they are due: the broker holds none of them. */
  public static boolean sentWhenDue(@Nullable DelayRoute route) {
    return route == null || route.tracking() == Tracking.FULL;
  }

  public Instant now() {
    return clock.instant();
  }

  public DelayRoutes routes() {
    return routes;
  }

  public DelayPlanner planner() {
    return planner.get();
  }

  /**
   * As far as the wheel reaches, if that is nearer: what the broker cannot hold yet stays stored.
   */
  public Instant horizon() {
    Instant now = clock.instant();
    Instant reach = now.plus(maxDelay);
    Instant configured = horizon.at(now);
    return reach.isBefore(configured) ? reach : configured;
  }
}
